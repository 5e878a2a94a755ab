import { afterEach, beforeEach, vi } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import {
  BatchSettlementAvmClient,
  type BatchSettlementAvmClientOptions,
} from '../../../src/batch-settlement/client/batch-settlement-avm-client.ts';
import {
  type ChannelPayload,
  encodeChannelPayload,
  parseChannelPayload,
} from '../../../src/batch-settlement/payload.ts';
import { payer } from '../channel-fixture.ts';
import { requirements as offered } from '../channel-stage.ts';

/** One cent, through a channel of at least ten cents. */
export const offer = { ...offered, extra: { ...offered.extra, minDeposit: '100000' } };
const genesisHash = new Uint8Array(32).fill(7);

interface World {
  /** ms since 1970 */
  clock: number;
  /** What the buyer's node says. */
  node: { round: bigint; held: bigint | undefined; account: { minBalance: bigint; authAddress?: string } };
}

export const world: World = { clock: 0, node: { round: 0n, held: undefined, account: { minBalance: 0n } } };

/** Begins each test of a file in the same world, where timers wait until the test moves them. */
export function useWorld(): void {
  beforeEach(() => {
    world.clock = 0;
    world.node = { round: 100n, held: undefined, account: { minBalance: 200_000n } };
    vi.useFakeTimers({ toFake: ['setTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export const algod = {
  url: 'http://node.example',
  params: async () => ({ fee: 0n, minFee: 1000n, genesisId: 'here-v1', genesisHash, lastRound: world.node.round }),
  accountAsset: async () => (world.node.held === undefined ? undefined : { amount: world.node.held, isFrozen: false }),
  account: async () => ({ ...world.node.account, round: world.node.round }),
} as unknown as AlgodClient;

export function buyer(options: Partial<BatchSettlementAvmClientOptions> = {}) {
  const client = new BatchSettlementAvmClient({
    account: payer,
    algod: () => algod,
    now: () => world.clock,
    ...options,
  });
  const { onPaymentResponse } = client.schemeHooks;
  return {
    client,
    /** What it presents for an offer. */
    presents: async (price = '10000', context = {}, change: Partial<PaymentRequirements> = {}) => {
      const made = await client.createPaymentPayload(2, { ...offer, amount: price, ...change }, context);
      return parseChannelPayload(made.payload);
    },
    /** What it does after an answer: true if it signs anew. */
    hears: async (payload: ChannelPayload, answer: object, price = '10000') => {
      const wire = encodeChannelPayload(payload);
      const context = { paymentPayload: { payload: wire }, requirements: { ...offer, amount: price }, ...answer };
      const done = await onPaymentResponse?.(context as unknown as Parameters<typeof onPaymentResponse>[0]);
      return done !== undefined && 'recovered' in Object(done);
    },
  };
}

export const amountOf = (payload: ChannelPayload): bigint | undefined =>
  payload.type === 'voucher' || payload.type === 'deposit' ? payload.voucher.maxClaimableAmount : undefined;
export const summary = (payload: ChannelPayload): unknown[] => [
  payload.type,
  amountOf(payload),
  ...(payload.type === 'deposit' ? [payload.deposit.amount, payload.deposit.paymentGroup.length] : []),
];
export const idOf = ({ channelConfig }: ChannelPayload): string => channelId(channelConfig);

export const paid = (chargedAmount?: string) => ({
  settleResponse: { success: true, extra: { ...(chargedAmount && { chargedAmount }) } },
});
export const failed = (errorReason: string) => ({ settleResponse: { success: false, errorReason } });
/** A 402 that tells of a channel's charges, by a voucher that came. */
export const telling = (payload: ChannelPayload, charged: bigint) => {
  if (payload.type === 'refund' || !payload.voucher) throw new Error('no voucher');
  const { maxClaimableAmount, signature } = payload.voucher;
  const channelState = { channelId: idOf(payload), chargedCumulativeAmount: String(charged) };
  const voucherState = { signedMaxClaimable: String(maxClaimableAmount), signature: encodeBase64(signature) };
  return { paymentRequired: { accepts: [{ extra: { channelState, voucherState } }] } };
};

/** A buyer with a channel whose deposit has come, and whose first cent is charged. */
export async function withChannel() {
  const one = buyer();
  const opening = await one.presents();
  await one.hears(opening, paid('10000'));
  return { ...one, opening };
}
