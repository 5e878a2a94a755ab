import * as fc from 'fast-check';
import { formatAddress } from '../src/address.ts';
import type { AssetParameters, Transaction, TransactionHeader } from '../src/transaction.ts';

const MAX_UINT64 = 2n ** 64n - 1n;

const byteArray = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length }).filter((value) => value.some((byte) => byte !== 0));

const someAddress = byteArray(32).map(formatAddress);

/** Every width of msgpack integer, without zero. */
const positive = fc.oneof(
  fc.bigInt({ min: 1n, max: 300n }),
  fc.bigInt({ min: 1n, max: MAX_UINT64 }),
  fc.constantFrom(127n, 128n, 255n, 256n, 65535n, 65536n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, MAX_UINT64),
);
const amount = fc.oneof(fc.constant(0n), positive);

/** Leaves out what is undefined, as exactOptionalPropertyTypes wants. */
function optional<T extends Record<string, fc.Arbitrary<unknown>>>(
  members: T,
): fc.Arbitrary<Partial<{ [K in keyof T]: T[K] extends fc.Arbitrary<infer V> ? V : never }>> {
  return fc.record(members, { requiredKeys: [] }) as never;
}

const header: fc.Arbitrary<TransactionHeader> = fc
  .tuple(
    fc.record({
      sender: someAddress,
      fee: amount,
      firstValid: fc.bigInt({ min: 0n, max: 2n ** 40n }),
      genesisHash: byteArray(32),
    }),
    fc.bigInt({ min: 0n, max: 1000n }),
    optional({
      genesisId: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
      note: fc.uint8Array({ minLength: 1, maxLength: 1024 }),
      lease: byteArray(32),
      rekeyTo: someAddress,
    }),
  )
  .map(([required, window, rest]) => ({ ...required, lastValid: required.firstValid + window, ...rest }));

const assetParameters: fc.Arbitrary<AssetParameters> = optional({
  total: positive,
  decimals: fc.integer({ min: 1, max: 19 }),
  defaultFrozen: fc.constant(true),
  unitName: fc.string({ minLength: 1, maxLength: 8 }),
  assetName: fc.string({ minLength: 1, maxLength: 32 }),
  url: fc.string({ minLength: 1, maxLength: 96 }),
  metadataHash: byteArray(32),
  manager: someAddress,
  reserve: someAddress,
  freeze: someAddress,
  clawback: someAddress,
}).filter((parameters) => Object.keys(parameters).length > 0);

const votingKeys = fc.record({
  voteKey: byteArray(32),
  selectionKey: byteArray(32),
  stateProofKey: byteArray(64),
  voteFirst: positive,
  voteLast: positive,
  voteKeyDilution: positive,
});

const body: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc
    .tuple(fc.record({ receiver: someAddress, amount }), optional({ closeRemainderTo: someAddress }))
    .map(([required, rest]) => ({ type: 'pay', ...required, ...rest })),
  fc
    .tuple(
      fc.record({ assetId: positive, receiver: someAddress, amount }),
      optional({ assetSender: someAddress, assetCloseTo: someAddress }),
    )
    .map(([required, rest]) => ({ type: 'axfer', ...required, ...rest })),
  fc.tuple(amount, assetParameters).map(([assetId, parameters]) => ({ type: 'acfg', assetId, parameters })),
  positive.map((assetId) => ({ type: 'acfg', assetId })),
  fc
    .record({ assetId: positive, freezeAccount: someAddress, frozen: fc.boolean() })
    .map((members) => ({ type: 'afrz', ...members })),
  votingKeys.map((keys) => ({ type: 'keyreg', ...keys })),
  fc.constantFrom({ type: 'keyreg' }, { type: 'keyreg', nonParticipation: true }),
);

/** Any transaction of the supported types, in the form in which decoding returns it: zero values left out. */
export const arbitraryTransaction: fc.Arbitrary<Transaction> = fc
  .tuple(header, body)
  .map(([common, rest]) => ({ ...common, ...rest }) as unknown as Transaction);
