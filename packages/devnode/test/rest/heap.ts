import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap in use once everything unreachable is gone. */
export function settledHeapBytes(): number {
  return settledMemory().heapUsed;
}

/** Bytes of array buffers in use once everything unreachable is gone. */
export function settledBufferBytes(): number {
  return settledMemory().arrayBuffers;
}

function settledMemory(): NodeJS.MemoryUsage {
  collect();
  collect();
  return process.memoryUsage();
}
