// A chain on which everything has happened that a ledger remembers.
import { assemble } from '@avm402/teal/assemble';
import { applicationAddress } from '@avm402/teal/application';
import { localControls } from '../../src/dev/control-table.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { assetParams, type Transaction } from '../../src/codec/schema/transaction.ts';
import { ALICE, BOB, CAROL, addressOf, signedBytes, testAccount, uniquePayment } from '../chain-fixture.ts';
import type { Account } from '@avm402/algorand/account';

/** Accounts that something happened to. */
const TOUCHED = [ALICE, BOB, CAROL, testAccount(4), testAccount(5)];

/** The lease that Alice takes, up to round 900. */
export const LEASE = new Uint8Array(32).fill(7);

/** Puts values with odd keys into every kind of state when an account opts in. */
const KEEPER = assemble(`#pragma version 10
txn ApplicationID
bz done
byte 0xff00
int 18446744073709551615
app_global_put
byte ""
byte 0xfe
app_global_put
txn Sender
byte "mine"
int 0
app_local_put
byte 0x3a00ff
byte 0x00ff
box_put
done:
int 1`).program;

/** Payments, an account that closes, one that is rekeyed, a lease, assets held, frozen and destroyed, an application's state of every kind, voting keys, gifts. */
export async function liveThrough(node: DevelopmentNode): Promise<Uint8Array> {
  const submit = async (signer: Account, fields: Partial<Transaction>): Promise<void> => {
    await node.submissions.submit(signedBytes(node, fields, signer));
  };
  const [alice, carol, dave] = [ALICE, CAROL, testAccount(4)].map(addressOf) as [Uint8Array, Uint8Array, Uint8Array];
  const payment = uniquePayment(node);
  await node.submissions.submit(payment);
  await submit(ALICE, { receiver: dave, amount: 5_000_000n, lease: LEASE, lastValid: 900n });
  await submit(CAROL, { receiver: alice, amount: 1n, closeRemainderTo: dave });
  await submit(BOB, { rekeyTo: carol });
  const params = assetParams.of({
    total: 2n ** 64n - 1n,
    decimals: 6,
    defaultFrozen: true,
    unitName: Buffer.from('UNIT'),
    name: Uint8Array.of(0xff, 0xfe),
    freeze: alice,
    manager: alice,
  });
  await submit(ALICE, { type: 'acfg', assetParams: params });
  await submit(ALICE, { type: 'acfg', assetParams: params, note: Buffer.from('again') });
  const [kept = 0n, gone = 0n] = node.queries.account(alice).created.map(([id]) => id);
  await submit(testAccount(4), { type: 'axfer', transferAsset: kept, assetReceiver: dave });
  await submit(ALICE, { type: 'axfer', transferAsset: kept, assetReceiver: dave, assetAmount: 0n });
  await submit(ALICE, { type: 'acfg', configAsset: gone });
  await submit(ALICE, {
    type: 'appl',
    approvalProgram: KEEPER,
    clearStateProgram: KEEPER,
    globalStateSchema: { uints: 1n, byteSlices: 1n },
    localStateSchema: { uints: 1n, byteSlices: 0n },
    extraProgramPages: 1,
  });
  const [[applicationId] = [0n]] = node.queries.account(alice).applications;
  await submit(ALICE, { receiver: applicationAddress(applicationId), amount: 1_000_000n });
  await submit(testAccount(4), {
    type: 'appl',
    applicationId,
    onCompletion: 1n,
    boxes: [{ index: 0n, name: Uint8Array.of(0x3a, 0, 0xff) }],
  });
  const key = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);
  await submit(ALICE, {
    type: 'keyreg',
    voteKey: key(1),
    selectionKey: key(2),
    stateProofKey: key(3, 64),
    voteFirstValid: 1n,
    voteLastValid: 3_000_000n,
    voteKeyDilution: 1000n,
  });
  await localControls(node).fund(testAccount(5).address, 1_234_567n);
  await localControls(node).deal(testAccount(4).address, kept, 42n);
  return payment;
}

/** All that a node answers about accounts and blocks. */
export function answersOf(node: DevelopmentNode): unknown {
  const rounds = Array.from({ length: Number(node.queries.latestRound) + 1 }, (_, round) => BigInt(round));
  return {
    accounts: TOUCHED.map((account) => node.queries.account(addressOf(account))),
    applications: node.queries.account(addressOf(ALICE)).applications.map(([id]) => ({
      application: node.queries.application(id),
      account: node.queries.account(applicationAddress(id)),
      boxes: node.queries.boxes.names(id).map((name) => [name, node.queries.boxes.content(id, name)]),
    })),
    supply: node.queries.supply(),
    blocks: rounds.map((round) => node.queries.block(round, { headerOnly: false })?.toJson()),
    ids: rounds.map((round) => node.queries.blockTransactionIds(round)),
    hashes: rounds.map((round) => node.queries.blockHash(round)),
    genesis: node.queries.genesisJson,
  };
}
