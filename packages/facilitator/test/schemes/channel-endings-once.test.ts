import { AlgorandError } from '@avm402/algorand/errors';
import { signClaim, signVoucher } from '@avm402/avm/batch-settlement';
import type { ChannelNetwork, ClaimRequest } from '@avm402/avm/batch-settlement/facilitator';
import { isX402Error } from '@avm402/core/errors';
import { beforeEach, expect, it } from 'vitest';
import {
  createMemorySettlementStore,
  type NewSettlement,
  type SettlementState,
  type SettlementStore,
} from '../../src/index.ts';
import { ChannelEndings } from '../../src/schemes/channel-endings.ts';
import type { PreparedSettlement } from '../../src/settlement/settlement-order.ts';
import type { Settler } from '../../src/settlement/settler.ts';
import type { InTime } from '../../src/settlement/waits.ts';
import { settlement } from '../stores/settlement-store-contract.ts';
import { claimAuthorizer, claimKey, config, id, network, ours, payer, seller, sessionKey } from './made-up-channel.ts';

const us = { owner: 'us', leaseMs: 60_000 };
const [HERE, PAYERS] = [{ payTo: seller.address }, { payer: payer.address }];
const MUST_OPT_IN = 'receiver error: must optin';

let store: SettlementStore;
/** What was begun, and what becomes of it, first first; the last one stays. */
let begun: PreparedSettlement[];
let becomes: SettlementState[];
/** What the node says of the next group, and the round that it is in. */
let failures: (string | undefined)[];
let round: bigint;
/** The time that each wait for an outcome was given. */
let waits: InTime[];
/** Done once while an ending is prepared. */
let meanwhile: (() => Promise<void>) | undefined;

beforeEach(async () => {
  store = createMemorySettlementStore();
  [begun, becomes, failures, round, meanwhile, waits] = [[], ['confirmed'], [], 100n, undefined, []];
  await write('OPEN', { kind: 'open', id, config, claimAuthorizer }, 'confirmed');
});

async function write(
  txId: string,
  channel: NonNullable<NewSettlement['channel']>,
  state: SettlementState,
  change = {},
) {
  await store.record(settlement(txId, { channel, network, terms: 'listed', ...change }), us);
  if (state !== 'recorded') await store.change(txId, 'us', { to: 'submitted' });
  if (state === 'confirmed') await store.change(txId, 'us', { to: 'confirmed', confirmedRound: 1n });
  if (state === 'rejected') await store.change(txId, 'us', { to: 'rejected', reason: 'settlement_rejected' });
}

const settler: Pick<Settler, 'begin' | 'inTime' | 'outcome'> = {
  inTime: () => (wait) => wait(new AbortController().signal),
  begin: async (prepared) => {
    begun.push(prepared);
    const { settlement: row } = prepared;
    await store.record({ ...row, keyHash: 'aa' }, us);
    const [state = 'submitted'] = becomes.length > 1 ? becomes.splice(0, 1) : becomes;
    await store.change(row.txId, 'us', { to: 'submitted' });
    if (state === 'confirmed') await store.change(row.txId, 'us', { to: 'confirmed', confirmedRound: 9n });
    if (state === 'rejected') await store.change(row.txId, 'us', { to: 'rejected', reason: 'settlement_rejected' });
    return found(row.txId);
  },
  outcome: async (txId, inTime) => {
    waits.push(inTime);
    return found(txId);
  },
};

async function found(txId: string) {
  const row = await store.find(txId);
  if (row === undefined) throw new Error(`there is no row ${txId}`);
  return row;
}

const budgetsOf = (): { scope: object; microAlgos: bigint; since: number }[] =>
  [{}, HERE, PAYERS, { ...PAYERS, advance: true }].map((scope) => ({ scope, microAlgos: 5n, since: 0 }));

const endings = () => new ChannelEndings({ settler: settler as Settler, store, budgetsOf });

function about(change: Partial<ChannelNetwork['algod']> = {}) {
  const params = {
    fee: 0n,
    minFee: 1000n,
    genesisId: 'here-v1',
    genesisHash: config.genesisHash,
    consensusVersion: '',
  };
  const served = {
    network,
    lastRound: () => round,
    known: async () => ({ claimAuthorizer, isOpen: true, openedIn: 1n }),
    algod: {
      params: async () => ({ ...params, lastRound: round }),
      account: async () => ({ address: id, amount: 200_000n, minBalance: 200_000n, round }),
      simulate: async () => {
        await meanwhile?.();
        const failureMessage = failures.shift();
        return { lastRound: round, wouldSucceed: !failureMessage, ...(failureMessage && { failureMessage }) };
      },
      ...change,
    },
    sponsor: { account: ours, accounts: new Map([[ours.address, ours]]), feePayer: () => ours.address },
    policy: { handOverAmount: 100n },
  };
  return { network: served as unknown as ChannelNetwork, config, channelId: id };
}

function claimOf(amount: bigint, change: Partial<ChannelNetwork['algod']> = {}): ClaimRequest {
  const authorization = signClaim(claimKey, { channelId: id, amount });
  const voucher = signVoucher(sessionKey, id, amount);
  return { type: 'claim', ...about(change), amount, voucher, authorization };
}

const claim = (amount = 100n, change: Partial<ChannelNetwork['algod']> = {}) =>
  endings().claim(claimOf(amount, change));

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'ok',
    (error: unknown) => (isX402Error(error) ? error.code.replace('invalid_batch_settlement_avm_', '') : error),
  );
}

it('a close is written with all that its row holds, and no budget keeps it back', async () => {
  const row = await claim();
  expect(row.state).toBe('confirmed');
  expect(begun).toEqual([
    {
      settlement: {
        txId: row.txId,
        network,
        round: 100n,
        firstValid: 100n,
        lastValid: 300n,
        payer: payer.address,
        signer: claimAuthorizer,
        feePayer: ours.address,
        payTo: seller.address,
        asset: '5',
        amount: 100n,
        sponsoredFee: 3000n,
        terms: 'listed',
        advance: true,
        requirementsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        channel: { kind: 'close', id },
        group: expect.any(Uint8Array),
      },
      budgets: [],
    },
  ]);
});

it('an account that is handed over costs its ALGO, kept back by all budgets but its payer’s', async () => {
  failures = [MUST_OPT_IN];
  await claim();
  expect(begun[0]?.settlement).toMatchObject({
    sponsoredFee: 202_000n,
    advance: false,
    channel: { kind: 'hand-over' },
  });
  expect(begun[0]?.budgets.map(({ scope }) => scope)).toEqual([{}, HERE]);
});

it('a refund is signed for by the account that closes, and is an advance for anybody where nothing is on record', async () => {
  store = createMemorySettlementStore();
  round = 5000n;
  await endings().refund(about());
  expect(begun[0]?.settlement).toMatchObject({
    signer: ours.address,
    terms: 'anyone',
    advance: true,
    amount: 0n,
    channel: { kind: 'refund', id },
  });
});

it.each([
  ['is confirmed', 'confirmed', 100n, 0],
  ['is under way', 'submitted', 100n, 0],
  ['is recorded in its last round', 'recorded', 200n, 0],
  ['was under way when its window ended', 'submitted', 201n, 1],
  ['was refused', 'rejected', 100n, 1],
] as const)('a close after one that %s begins or not', async (_what, state, now, begins) => {
  await write('FIRST', { kind: 'close', id }, state);
  round = now;
  const row = await claim();
  expect([begun.length, row.txId === 'FIRST']).toEqual([begins, begins === 0]);
});

it.each(['recorded', 'submitted', 'rejected'] as const)(
  'a close after the expiry is told of an earlier one that is %s, and is too late once that has expired',
  async (state) => {
    await write('FIRST', { kind: 'close', id }, state);
    round = config.expiry;
    expect(await claim()).toMatchObject({ txId: 'FIRST', state });
    if (state === 'recorded') await store.change('FIRST', 'us', { to: 'submitted' });
    await store.change('FIRST', 'us', { to: 'expired' });
    expect(await codeOf(claim())).toBe('channel_expiring');
    expect(begun).toEqual([]);
  },
);

it('a top-up is no ending: the close after it begins', async () => {
  await write('MORE', { kind: 'top-up', id }, 'confirmed');
  await claim();
  expect(begun).toHaveLength(1);
});

it('a close that is refused is followed by another one, and by no third', async () => {
  becomes = ['rejected', 'confirmed'];
  failures = [undefined, MUST_OPT_IN];
  expect(await claim()).toMatchObject({ state: 'confirmed', channel: { kind: 'hand-over' } });
  expect(begun).toHaveLength(2);
  expect(waits, 'both are waited for within one time').toEqual([waits[0], expect.any(Function)]);
  expect(new Set(waits).size).toBe(1);
  store = createMemorySettlementStore();
  await write('OPEN', { kind: 'open', id, config, claimAuthorizer }, 'confirmed');
  [begun, becomes, failures] = [[], ['rejected'], [undefined, MUST_OPT_IN, undefined, undefined]];
  expect(await claim()).toMatchObject({ state: 'rejected' });
  expect(begun).toHaveLength(2);
});

it('a close after a refund is refused with the transaction of the refund; a refund after a close tells of the close', async () => {
  await write('REFUND', { kind: 'refund', id }, 'confirmed');
  const refused = await claim().catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'invalid_batch_settlement_avm_channel_closed',
    details: { transaction: 'REFUND' },
  });
  store = createMemorySettlementStore();
  await write('CLOSE', { kind: 'close', id }, 'confirmed');
  expect(await endings().refund(about())).toMatchObject({ txId: 'CLOSE' });
  expect(begun).toEqual([]);
});

it('a close that the chain refuses because another one came meanwhile is answered by that one', async () => {
  const comes = () => write('OTHER', { kind: 'close', id }, 'confirmed');
  [meanwhile, failures] = [comes, ['using an overlapping lease']];
  expect(await claim()).toMatchObject({ txId: 'OTHER' });
  expect(begun).toEqual([]);
});

it('a close that the chain refuses otherwise is refused, and trouble with a node stays trouble', async () => {
  failures = ['using an overlapping lease'];
  expect(await codeOf(claim())).toBe('lease_held');
  const simulate = async () => {
    await write('OTHER', { kind: 'close', id }, 'confirmed');
    throw new AlgorandError('algod_timeout', 'no answer');
  };
  expect(await codeOf(claim(100n, { simulate }))).toBe('algod_unreachable');
});

it('only the seller is told what became of its channel', async () => {
  await write('CLOSE', { kind: 'close', id }, 'confirmed');
  const request = { ...claimOf(100n), authorization: new Uint8Array(64) };
  expect(await codeOf(endings().claim(request))).toBe('claim_authorization');
  expect(await claim()).toMatchObject({ txId: 'CLOSE' });
});
