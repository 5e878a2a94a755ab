import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap in use once everything unreachable is gone. */
export function settledHeapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
