import { describe, expect, it } from 'vitest';
import { parseAddress } from '@avm402/algorand/address';
import { assignGroup } from '@avm402/algorand/group';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { type UptoAuthorization, uptoProgram } from '../../src/upto/upto-program.ts';
import { uint64Bytes } from '../../src/signing/program-template.ts';
import { closer, FEE, payer, seller, stranger, USDC, useChain } from '../batch-settlement/stage.ts';
import { assembled, rulesOf, uptoTemplate, without } from '../batch-settlement/template.ts';

const chain = useChain();
const MAXIMUM = 50_000n;
const PROGRAM = new TextEncoder().encode('Program');
let leases = 0;

function constantsOf(authorization: UptoAuthorization) {
  return {
    RECEIVER: parseAddress(authorization.receiver),
    FEE_PAYER: parseAddress(authorization.feePayer),
    GENESIS_HASH: authorization.genesisHash,
    TOKEN: uint64Bytes(authorization.token),
    MAX_AMOUNT: uint64Bytes(authorization.maxAmount),
    LAST_VALID: uint64Bytes(authorization.lastValid),
    LEASE: authorization.lease,
  };
}

async function authorize(change: Partial<UptoAuthorization> = {}): Promise<UptoAuthorization> {
  const { lastRound, genesisHash } = await chain.algod.params();
  return {
    receiver: seller.address,
    feePayer: closer.address,
    genesisHash,
    token: USDC,
    maxAmount: MAXIMUM,
    lastValid: lastRound + 100n,
    lease: Uint8Array.from([...uint64Bytes(BigInt(++leases)), ...new Uint8Array(24)]),
    ...change,
  };
}

interface Changes {
  readonly transfer?: object;
  readonly fee?: object;
}

/** The group that settles so much, with changes. */
async function settling(authorization: UptoAuthorization, amount: bigint, changes: Changes = {}) {
  const { lastRound: firstValid, genesisHash } = await chain.algod.params();
  const header = { firstValid, lastValid: authorization.lastValid, genesisHash, lease: authorization.lease };
  const { feePayer, receiver, token: assetId } = authorization;
  const members: Transaction[] = [
    { ...header, type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n, fee: 2n * FEE, ...changes.fee },
    { ...header, type: 'axfer', sender: payer.address, receiver, assetId, amount, fee: 0n, ...changes.transfer },
  ];
  return assignGroup(members);
}

/** The members' msgpack; the transfer is signed by the program, which the payer's key has signed. */
function signed(group: readonly Transaction[], program: Uint8Array): Uint8Array[] {
  const signature = payer.sign(Uint8Array.from([...PROGRAM, ...program]));
  const logicSignature = encodeMsgpack({ l: program, sig: signature });
  const keys = [closer, stranger];
  return group.map((txn, index) => {
    if (index === 1) return encodeSignedTransaction({ txn, logicSignature });
    const key = keys.find(({ address }) => address === txn.sender);
    if (key === undefined) throw new Error(`nobody signs for ${txn.sender}`);
    return key.signTransaction(txn);
  });
}

async function refusal(group: readonly Transaction[], program: Uint8Array): Promise<string | undefined> {
  const { wouldSucceed, failureMessage } = await chain.algod.simulate({ transactions: signed(group, program) });
  return wouldSucceed ? undefined : failureMessage;
}

describe('an upto authorization', () => {
  it('has the program that its template assembles to', async () => {
    const authorization = await authorize();
    expect(Buffer.from(uptoProgram(authorization))).toEqual(
      Buffer.from(assembled(uptoTemplate, constantsOf(authorization))),
    );
  });

  it('settles what was charged, once: a second settlement of any amount is refused by the lease', async () => {
    const authorization = await authorize();
    const program = uptoProgram(authorization);
    const before = await chain.usdcOf(seller.address);
    await chain.algod.sendRawTransaction(Buffer.concat(signed(await settling(authorization, 12_345n), program)));
    expect((await chain.usdcOf(seller.address)) - before).toBe(12_345n);
    for (const amount of [12_345n, 1n]) {
      const note = { note: new Uint8Array([Number(amount % 256n)]) };
      const again = await settling(authorization, amount, { fee: note, transfer: note });
      expect(await refusal(again, program)).toMatch(/overlapping lease/);
    }
  });

  it('settles the maximum and not one unit more', async () => {
    const authorization = await authorize();
    const program = uptoProgram(authorization);
    expect(await refusal(await settling(authorization, MAXIMUM), program)).toBeUndefined();
    expect(await refusal(await settling(authorization, MAXIMUM + 1n), program)).toMatch(/rejected by logic/);
  });
});

const other = new Uint8Array(32).fill(9);

/** What each rule keeps out. */
const attacks: readonly {
  readonly rule: string;
  readonly name: string;
  readonly authorization?: Partial<UptoAuthorization>;
  readonly amount?: bigint;
  readonly changes?: Changes;
  readonly prepare?: () => Promise<unknown>;
}[] = [
  { rule: 'U1', name: 'the payer’s ALGO burns as a fee', changes: { transfer: { fee: 1_000_000n } } },
  { rule: 'U2', name: 'an authorization for another network settles here', authorization: { genesisHash: other } },
  {
    rule: 'U3',
    name: 'another asset is taken',
    authorization: { token: 31_566_704n },
    changes: { transfer: { assetId: USDC } },
  },
  { rule: 'U4', name: 'somebody else is paid', changes: { transfer: { receiver: stranger.address } } },
  { rule: 'U5', name: 'the seller takes more than the maximum', amount: MAXIMUM + 1n },
  { rule: 'U7', name: 'the whole holding is taken', changes: { transfer: { assetCloseTo: seller.address } } },
  { rule: 'U8', name: 'the account is taken', changes: { transfer: { rekeyTo: stranger.address } } },
  { rule: 'U9', name: 'it settles under another lease, again and again', changes: { transfer: { lease: other } } },
  {
    rule: 'U11',
    name: 'a stranger settles',
    changes: { fee: { sender: stranger.address, receiver: stranger.address } },
  },
  {
    rule: 'U12',
    name: 'it rides in a group that the fee payer signs for another reason',
    changes: { fee: { lease: other } },
  },
];

it.each(attacks)('$rule: $name: refused by the program, done without the rule', async (attack) => {
  const authorization = await authorize(attack.authorization);
  const group = await settling(authorization, attack.amount ?? 1000n, attack.changes);
  expect(await refusal(group, uptoProgram(authorization))).toMatch(/rejected by logic/);
  const open = assembled(without(uptoTemplate, attack.rule), constantsOf(authorization));
  expect(await refusal(group, open)).toBeUndefined();
});

it('U10: with a last valid round of its own a transfer lets go of the lease early and settles again', async () => {
  const authorization = await authorize();
  const open = assembled(without(uptoTemplate, 'U10'), constantsOf(authorization));
  for (const program of [uptoProgram(authorization), open]) {
    const { lastRound } = await chain.algod.params();
    const short = { lastValid: lastRound + 1n };
    const group = await settling(authorization, 5n, { fee: short, transfer: short });
    if (program !== open) expect(await refusal(group, program)).toMatch(/rejected by logic/);
    else await chain.algod.sendRawTransaction(Buffer.concat(signed(group, program)));
  }
  await chain.node.mine(3);
  expect(await refusal(await settling(authorization, 5n), open)).toBeUndefined();
});

it('U6: the payer of an asset that it may claw back is not used for that', async () => {
  const { lastRound, genesisHash } = await chain.algod.params();
  const header = { sender: payer.address, fee: FEE, firstValid: lastRound, lastValid: lastRound + 1000n, genesisHash };
  const parameters = { total: 1_000n, manager: payer.address, clawback: payer.address };
  const created = await chain.algod.sendRawTransaction(
    payer.signTransaction({ ...header, type: 'acfg', assetId: 0n, parameters }),
  );
  const response = await fetch(`${chain.node.url}/v2/transactions/pending/${created.txId}`, {
    headers: { 'X-Algo-API-Token': chain.node.token },
  });
  const { 'asset-index': index } = (await response.json()) as { 'asset-index': number };
  const token = BigInt(index);
  for (const { address } of [seller, stranger]) await chain.node.deal(address, token, 100n);
  const authorization = await authorize({ token });
  const group = await settling(authorization, 50n, { transfer: { assetSender: stranger.address } });
  expect(await refusal(group, uptoProgram(authorization))).toMatch(/rejected by logic/);
  const open = assembled(without(uptoTemplate, 'U6'), constantsOf(authorization));
  expect(await refusal(group, open)).toBeUndefined();
});

it('each rule of the program has its attack', () => {
  expect([...attacks.map(({ rule }) => rule), 'U6', 'U10'].toSorted()).toEqual(rulesOf(uptoTemplate).toSorted());
});
