import algosdk from 'algosdk';
import * as fc from 'fast-check';

const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((publicKey) => algosdk.encodeAddress(publicKey));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** The SDK makes no transaction for asset 0. */
const assetIndex = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const perhaps = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const params: fc.Arbitrary<algosdk.SuggestedParams> = fc.record({
  fee: uint64,
  minFee: fc.constant(0n),
  flatFee: fc.constant(true),
  firstValid: uint64,
  lastValid: uint64,
  genesisID: fc.constantFrom('dockernet-v1', 'testnet-v1.0', 'é'),
  genesisHash: bytes32,
});

const header = fc.record({
  sender: address,
  suggestedParams: params,
  note: fc.uint8Array({ maxLength: 40 }),
  rekeyTo: perhaps(address),
  lease: perhaps(bytes32),
});

const payment = fc
  .record({ header, receiver: address, amount: uint64, closeRemainderTo: perhaps(address) })
  .map(({ header: head, ...own }) => algosdk.makePaymentTxnWithSuggestedParamsFromObject(defined({ ...head, ...own })));

const transfer = fc
  .record({
    header,
    receiver: address,
    amount: uint64,
    assetIndex,
    assetSender: perhaps(address),
    closeRemainderTo: perhaps(address),
  })
  .map(({ header: head, ...own }) =>
    algosdk.makeAssetTransferTxnWithSuggestedParamsFromObject(defined({ ...head, ...own })),
  );

const creation = fc
  .record({
    header,
    total: uint64,
    decimals: fc.nat(19),
    defaultFrozen: fc.boolean(),
    unitName: fc.constantFrom('', 'USDC', 'é'),
    assetName: fc.constantFrom('', 'US Dollar'),
    assetURL: fc.constantFrom('', 'https://example.com'),
    assetMetadataHash: perhaps(bytes32),
    manager: perhaps(address),
    reserve: perhaps(address),
    freeze: perhaps(address),
    clawback: perhaps(address),
  })
  .map(({ header: head, ...own }) =>
    algosdk.makeAssetCreateTxnWithSuggestedParamsFromObject(defined({ ...head, ...own })),
  );

const freeze = fc
  .record({ header, assetIndex, freezeTarget: address, frozen: fc.boolean() })
  .map(({ header: head, ...own }) =>
    algosdk.makeAssetFreezeTxnWithSuggestedParamsFromObject(defined({ ...head, ...own })),
  );

const offline = header.map((head) =>
  algosdk.makeKeyRegistrationTxnWithSuggestedParamsFromObject(defined({ ...head, nonParticipation: true })),
);

/** Transactions of the types that payments need, as the official SDK makes them. */
export const sdkTransaction: fc.Arbitrary<algosdk.Transaction> = fc.oneof(payment, transfer, creation, freeze, offline);

/** Without the members that are undefined. */
function defined<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

/** The bytes of a signed transaction as the official SDK encodes it; the signature is any 64 bytes. */
export function sdkBytes(txn: algosdk.Transaction): Uint8Array {
  return algosdk.encodeMsgpack(new algosdk.SignedTransaction({ txn, sig: new Uint8Array(64).fill(7) }));
}
