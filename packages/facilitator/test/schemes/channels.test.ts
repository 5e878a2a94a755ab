import type { Account } from '@avm402/algorand/account';
import { channelId, refundGroup, signByChannel, signVoucher } from '@avm402/avm/batch-settlement';
import { x402Facilitator } from '@x402/core/facilitator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemorySettlementStore } from '../../src/index.ts';
import { ChannelStage, DEPOSIT, sessionKey } from './channel-stage.ts';
import { USDC } from '../devnode-harness.ts';
import { withStep } from '../harness.ts';

const KEY = 'k'.repeat(32);
const OTHER_KEY = 'o'.repeat(32);

const settlements = createMemorySettlementStore();
let stage: ChannelStage;
beforeAll(async () => {
  stage = await ChannelStage.start({ facilitator: { store: settlements } });
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('a facilitator that opens and closes channels', () => {
  it('says in /supported who closes, pays and lends, and from which deposit on', async () => {
    const { extra } = await stage.requirements();
    expect(extra).toMatchObject({
      receiverAuthorizer: stage.sponsor,
      feePayer: stage.sponsor,
      funder: stage.sponsor,
      genesisHash: stage.harness.devnode.genesisHash,
      minDeposit: '1',
      minRounds: '1000',
    });
  });

  it('opens a channel, adds to it and closes it to the unit, with all ALGO back but the fees', async () => {
    const before = {
      payer: stage.usdc(stage.payer.address),
      seller: stage.usdc(stage.seller),
      algo: stage.algo(stage.sponsor),
    };
    const config = await stage.config();
    const id = channelId(config);
    const opening = await stage.opening(config);
    const { lastRound } = await stage.harness.algod.params();
    const verdict = { isValid: true, payer: stage.payer.address, extra: { lastRound: String(lastRound) } };
    expect(await stage.verify(opening)).toEqual(verdict);
    expect(stage.algo(id)).toBe(0n);
    const opened = await stage.settle(opening);
    const confirmedRound = String(lastRound + 1n);
    const extra = { channelId: id, move: 'open', confirmedRound };
    expect(opened).toMatchObject({ success: true, payer: stage.payer.address, extra });
    expect(stage.usdc(id)).toBe(DEPOSIT);
    expect(before.algo - stage.algo(stage.sponsor)).toBe(204_000n);

    const more = await stage.toppingUp(config, 1_000_000n);
    expect(await stage.verify(more)).toMatchObject({ isValid: true });
    expect(await stage.settle(more)).toMatchObject({ success: true, extra: { move: 'top-up' } });
    expect(stage.usdc(id)).toBe(DEPOSIT + 1_000_000n);

    const claim = stage.claim(config, 1_234_567n, { voucher: signVoucher(sessionKey, id, 2_000_000n) });
    expect(await stage.verify(claim)).toMatchObject({ isValid: true });
    expect(await stage.settle(claim)).toMatchObject({ success: true, amount: '1234567', extra: { move: 'close' } });
    expect(stage.usdc(stage.seller) - before.seller).toBe(1_234_567n);
    expect(before.payer - stage.usdc(stage.payer.address)).toBe(1_234_567n);
    expect(stage.algo(id)).toBe(0n);
    expect(before.algo - stage.algo(stage.sponsor)).toBe(4_000n + 2_000n + 3_000n);
  });

  it('names a deposit by the payer’s transfer, records it under its key, and tells the outcome again to that key only', async () => {
    const opening = await stage.opening(await stage.config());
    const first = await stage.settle(opening, { key: KEY });
    expect(first).toMatchObject({ success: true });
    expect(await stage.settle(opening, { key: KEY })).toEqual(first);
    expect(await stage.settle(opening, { key: OTHER_KEY })).toMatchObject({ errorReason: 'duplicate_settlement' });
    const status = await fetch(`${stage.url}/settlements/${first.transaction}`);
    expect(await status.json()).toMatchObject({ state: 'confirmed', payer: stage.payer.address });
    const pending = await stage.harness.algod.pendingTransaction(first.transaction);
    expect(pending).toBeDefined();
  });

  it('verifies a voucher against what the channel holds on chain', async () => {
    const config = await stage.open();
    const voucher = (amount: bigint) => signVoucher(sessionKey, channelId(config), amount);
    const verdict = (amount: bigint) =>
      stage.verify({ type: 'voucher', channelConfig: config, voucher: voucher(amount) });
    expect(await verdict(DEPOSIT)).toMatchObject({ isValid: true, payer: stage.payer.address });
    expect(await verdict(DEPOSIT + 1n)).toMatchObject({
      invalidReason: 'invalid_batch_settlement_avm_cumulative_exceeds_balance',
    });
    await stage.settle(stage.claim(config, 1n));
    expect(await verdict(1n)).toMatchObject({ invalidReason: 'invalid_batch_settlement_avm_channel_closed' });
    const unopened = await stage.config();
    const stray = signVoucher(sessionKey, channelId(unopened), 1n);
    expect(await stage.verify({ type: 'voucher', channelConfig: unopened, voucher: stray })).toMatchObject({
      invalidReason: 'invalid_batch_settlement_avm_channel_not_found',
    });
  });

  it('closes once: who asks again, or at the same time, is told the first outcome', async () => {
    const config = await stage.open();
    const before = stage.usdc(stage.seller);
    const answers = await Promise.all([100n, 200n, 300n].map((amount) => stage.settle(stage.claim(config, amount))));
    const [first] = answers;
    expect(answers).toEqual([first, first, first]);
    expect(first).toMatchObject({ success: true });
    expect(await stage.settle(stage.claim(config, 400n))).toEqual(first);
    const rows = await settlements.channel(channelId(config));
    expect(rows.map(({ signer }) => signer)).toEqual([stage.payer.address, stage.claimAuthorizer]);
    const [, close] = rows;
    expect(close && close.lastValid - close.firstValid, 'rounds in which it can be confirmed').toBe(200n);
    expect(String(stage.usdc(stage.seller) - before)).toBe(first?.amount);
  });
});

it('keeps a channel open after a close that was refused: vouchers and top-ups are taken, and the next close', async () => {
  const store = createMemorySettlementStore();
  let leaves = false;
  await using late = await ChannelStage.start({
    facilitator: {
      store: withStep(store, 'submitted', async (...step) => {
        if (leaves) await send(late, late.payer, { receiver: late.seller, assetCloseTo: late.seller, amount: 0n });
        leaves = false;
        return store.change(...step);
      }),
    },
  });
  const config = await late.open();
  leaves = true;
  // Less than what the account is worth: it is not handed over.
  expect(await late.settle(late.claim(config, 99n))).toMatchObject({ success: false });
  const states = (await store.channel(channelId(config))).map(({ channel, state }) => `${channel?.kind} ${state}`);
  expect(states).toEqual(['open confirmed', 'close rejected']);
  await send(late, late.payer, { receiver: late.payer.address, amount: 0n });
  await send(late, late.harness.account('merchant'), { receiver: late.payer.address, amount: 1_000n });
  const voucher = signVoucher(sessionKey, channelId(config), 100n);
  expect(await late.verify({ type: 'voucher', channelConfig: config, voucher })).toMatchObject({ isValid: true });
  expect(await late.settle(await late.toppingUp(config, 1_000n))).toMatchObject({ success: true });
  expect(await late.settle(late.claim(config, 99n))).toMatchObject({ success: true, extra: { move: 'close' } });
});

it('refunds no channel that somebody else has refunded', async () => {
  const config = await stage.open();
  await stage.expire(config);
  const { payer, harness } = stage;
  const [fee, ...members] = refundGroup(config, payer.address, await stage.terms());
  if (!fee) throw new Error('no fee');
  const signed = [payer.signTransaction(fee), ...members.map((member) => signByChannel(config, member))];
  await harness.algod.sendRawTransaction(Buffer.concat(signed));
  expect(await stage.settle({ type: 'refund', channelConfig: config })).toMatchObject({
    errorReason: 'invalid_batch_settlement_avm_channel_closed',
  });
});

it('verifies no second deposit that opens a channel whose opening waits for its block', async () => {
  await using slow = await ChannelStage.start({ node: { blocks: 'manual' }, facilitator: { settleTimeoutMs: 50 } });
  const config = await slow.config();
  const pending = { errorReason: 'settlement_pending' };
  expect(await slow.settle(await slow.opening(config))).toMatchObject(pending);
  const used = 'invalid_batch_settlement_avm_channel_used';
  const second = await slow.opening(config, 1_000n);
  expect(await slow.verify(second)).toMatchObject({ isValid: false, invalidReason: used });
  expect(await slow.settle(second)).toMatchObject({ errorReason: used });
});

it.each([
  ['a payer', { ofPayer: 1 }],
  ['a receiver', { ofReceiver: 1 }],
  ['all together', { lent: 399_999n }],
])('refuses a channel at the limit of %s when it is verified already', async (_, channels) => {
  await using strict = await ChannelStage.start({ facilitator: { channels } });
  const config = await strict.open();
  const opening = await strict.opening(await strict.config());
  const refusal = 'invalid_batch_settlement_avm_sponsorship';
  expect(await strict.verify(opening)).toMatchObject({ isValid: false, invalidReason: refusal });
  expect(await strict.settle(opening)).toMatchObject({ success: false, errorReason: refusal });
  expect(await strict.settle(strict.claim(config, 1n))).toMatchObject({ success: true });
  expect(await strict.verify(opening)).toMatchObject({ isValid: true });
});

interface Transfer {
  readonly receiver: string;
  readonly amount: bigint;
  readonly assetCloseTo?: string;
}

async function send({ harness }: ChannelStage, from: Account, what: Transfer): Promise<void> {
  const transfer = { type: 'axfer', assetId: USDC, sender: from.address, ...what } as const;
  await harness.send(from, { ...(await harness.header()), ...transfer });
}

it('registers as a scheme of a stock facilitator, with the store in the path', async () => {
  const { facilitator } = stage.harness;
  const stock = new x402Facilitator().register([...facilitator.networks], facilitator.channels);
  const config = await stage.config();
  const { payload, requirements } = await stage.message(await stage.opening(config));
  expect(await stock.verify(payload, requirements)).toMatchObject({ isValid: true });
  expect(await stock.settle(payload, requirements)).toMatchObject({ success: true, extra: { move: 'open' } });
  expect((await settlements.channel(channelId(config)))[0]).toMatchObject({ state: 'confirmed' });
});
