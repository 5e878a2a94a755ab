import type { AlgodClient } from '@avm402/algorand/algod';
import { type ChannelConfig, channelId } from '@avm402/avm/batch-settlement';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFacilitator, type ChannelOptions, createMemorySettlementStore } from '../../src/index.ts';
import { ChannelStage, DEPOSIT, strangersKey } from './channel-stage.ts';

const reason = (code: string) => ({ success: false, errorReason: `invalid_batch_settlement_avm_${code}` });
const CHARGED = 1_234_567n;

let stage: ChannelStage;
let config: ChannelConfig;
beforeAll(async () => {
  stage = await ChannelStage.start();
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(async () => {
  config = await stage.open();
});

/** What a facilitator answers to a claim whose store was copied before the channel was opened. */
async function claimed(options: ChannelOptions, change: { algod?: Partial<AlgodClient>; key?: typeof strangersKey }) {
  const { harness } = stage;
  const facilitator = createFacilitator({
    networks: [{ algods: [{ ...harness.algod, ...change.algod }] }],
    sponsorship: { account: harness.account('facilitator'), payTo: [stage.seller], anyone: false },
    store: createMemorySettlementStore(),
    settleTimeoutMs: 2_000,
    channels: options,
  });
  const { payload, requirements } = await stage.message(
    stage.claim(config, CHARGED, change.key && { key: change.key }),
  );
  const answer = await facilitator.settle(payload, requirements);
  await facilitator.close();
  return answer;
}

describe('a channel that was opened after the backup from which the store was restored', () => {
  const claimKeysOf = (receiver: string) =>
    receiver === stage.seller ? new Set([stage.claimAuthorizer, stage.payer.address]) : undefined;

  it('is claimed with a key that the operator names for its seller', async () => {
    const [seller, payer, sponsor] = [
      stage.usdc(stage.seller),
      stage.usdc(stage.payer.address),
      stage.algo(stage.sponsor),
    ];
    expect(await claimed({ claimKeysOf }, {})).toMatchObject({ success: true, amount: String(CHARGED) });
    expect(stage.usdc(stage.seller) - seller).toBe(CHARGED);
    expect(stage.usdc(stage.payer.address) - payer).toBe(DEPOSIT - CHARGED);
    expect(stage.algo(stage.sponsor) - sponsor).toBe(200_000n - 3_000n);
  });

  it('is claimed with no other key, which may be its payer’s', async () => {
    expect(await claimed({ claimKeysOf }, { key: strangersKey })).toMatchObject(reason('claim_authorization'));
    expect(await claimed({}, {})).toMatchObject(reason('channel_not_found'));
    expect(stage.usdc(channelId(config))).toBe(DEPOSIT);
  });

  it('is not called lost after its expiry if it may have been closed for its seller', async () => {
    expect(await stage.settle(stage.claim(config, CHARGED))).toMatchObject({ success: true });
    const open = await stage.open({ expiry: config.expiry });
    await stage.expire(config);
    expect(await claimed({ claimKeysOf }, {})).toMatchObject(reason('channel_not_found'));
    config = open;
    expect(await claimed({ claimKeysOf }, {})).toMatchObject(reason('channel_expiring'));
  });

  it('is not taken for closed where a node has not seen it yet', async () => {
    const account: AlgodClient['account'] = async (address) => ({
      ...(await stage.harness.algod.account(address)),
      amount: 0n,
      minBalance: 100_000n,
    });
    expect(await claimed({ claimKeysOf }, { algod: { account } })).toMatchObject(reason('channel_not_found'));
  });
});
