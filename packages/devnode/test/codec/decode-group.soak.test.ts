import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { decodeOutcome } from './decode-outcome.ts';
import { sdkBytes, sdkTransaction } from './sdk-transaction.ts';

const RUNS = 20_000 * inject('soakShare');

test('no change of bytes, anywhere in a transaction, makes the decoder crash', () => {
  const samples = fc.sample(sdkTransaction, 200).map(sdkBytes);
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...samples), changes, fc.nat(), (sample, changed, cut) => {
      const bytes = Uint8Array.from(sample);
      for (const [at, value] of changed) bytes[at % bytes.length] = value;
      expect(decodeOutcome(bytes.subarray(0, cut % (bytes.length + 1)))).toBeTypeOf('string');
    }),
    { numRuns: RUNS },
  );
});
