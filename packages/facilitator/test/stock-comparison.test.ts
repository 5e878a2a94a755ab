// What the stock facilitator (@x402/avm) gets wrong, shown on it and on ours, on one node.
import { accountFromSeed } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { assignGroup } from '@avm402/algorand/group';
import { encodeTransaction } from '@avm402/algorand/transaction';
import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/facilitator';
import type { PaymentPayload, SchemeNetworkFacilitator } from '@x402/core/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFacilitator, type Facilitator, createMemorySettlementStore } from '../src/index.ts';
import { type AlgodProxy, startAlgodProxy } from './algod-proxy.ts';
import { DevnodeHarness, payloadOf, sponsoredMembers, USDC } from './devnode-harness.ts';
import { KEY } from './harness.ts';

let h: DevnodeHarness;
let proxy: AlgodProxy;
let stock: SchemeNetworkFacilitator;
let ours: Facilitator;

async function start(node: { readonly blocks?: 'manual'; readonly waitForBlockMs?: number } = {}): Promise<void> {
  h = await DevnodeHarness.start({ node: { network: 'testnet', ...node } });
  proxy = await startAlgodProxy(h.devnode.url);
  const { privateKey } = h.devnode.accounts.facilitator;
  stock = new ExactAvmScheme(
    toFacilitatorAvmSigner(privateKey, { testnetUrl: proxy.url, algodToken: h.devnode.token }),
  );
  ours = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: proxy.url, token: h.devnode.token })] }],
    sponsorship: { account: h.account('facilitator'), payTo: [h.account('merchant').address] },
    store: createMemorySettlementStore(),
    settleTimeoutMs: 700,
  });
  await ours.start();
}

beforeEach(() => start());

afterEach(async () => {
  await ours.close();
  await proxy.stop();
  await h.stop();
});

const settle = (payload: PaymentPayload, key = KEY) => ours.settle(payload, h.requirements(), { idempotencyKey: key });
const isOnChain = async (txId: string): Promise<boolean> =>
  (await h.algod.pendingTransaction(txId))?.confirmedRound !== undefined;

/** A sponsored payment by hand, with transactions changed as the case needs. */
async function paymentWith(changes: { readonly all?: object; readonly fee?: object } = {}): Promise<PaymentPayload> {
  const header = { ...(await h.header()), ...changes.all };
  const sponsor = h.account('facilitator').address;
  const fee = {
    ...header,
    type: 'pay' as const,
    sender: sponsor,
    receiver: sponsor,
    amount: 0n,
    fee: 2_000n,
    ...changes.fee,
  };
  const axfer = {
    ...header,
    type: 'axfer' as const,
    sender: h.account('payer').address,
    receiver: h.account('merchant').address,
    assetId: USDC,
    amount: 10_000n,
    fee: 0n,
    note: crypto.getRandomValues(new Uint8Array(16)),
  };
  return payloadOf(h.requirements(), sponsoredMembers(h.account('payer'), [fee, axfer]));
}

describe('a payment that is settled again, because the answer was lost', () => {
  it('stock: fails in its simulation, and names no transaction', async () => {
    const payload = await h.pay();
    expect(await stock.settle(payload, h.requirements())).toMatchObject({ success: true });
    expect(await stock.settle(payload, h.requirements())).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_simulation_failed',
      transaction: '',
    });
  });

  it('ours: gets the recorded answer', async () => {
    const payload = await h.pay();
    const first = await settle(payload);
    expect(first).toMatchObject({ success: true });
    expect(await settle(payload)).toEqual(first);
  });
});

describe('a payment that no block takes in time', () => {
  beforeEach(async () => {
    await ours.close();
    await proxy.stop();
    await h.stop();
    await start({ blocks: 'manual', waitForBlockMs: 20 });
  });

  it('stock: calls it failed, and it is confirmed later', async () => {
    const failed = await stock.settle(await h.pay(), h.requirements());
    expect(failed).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_confirmation_failed' });
    await h.devnode.mine();
    expect(await isOnChain(failed.transaction)).toBe(true);
  });

  it('ours: calls it pending, and hands it out when it is confirmed', async () => {
    const payload = await h.pay();
    const pending = await settle(payload);
    expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    await h.devnode.mine();
    expect(await settle(payload)).toMatchObject({ success: true, transaction: pending.transaction });
  });
});

describe('a submission that the node took, answered 502 on the way back', () => {
  beforeEach(() => {
    let submissions = 0;
    proxy.fate = (request) => (request === 'POST /v2/transactions' && submissions++ === 0 ? { lose: 502 } : 'pass');
  });

  it('stock: submits again, hears "already in ledger" and calls it failed; the money has moved', async () => {
    const before = h.usdc(h.account('merchant').address);
    const failed = await stock.settle(await h.pay(), h.requirements());
    expect(failed).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_settlement_failed' });
    expect(h.usdc(h.account('merchant').address)).toBe(before + 10_000n);
  });

  it('ours: finds it in its block', async () => {
    const before = h.usdc(h.account('merchant').address);
    expect(await settle(await h.pay())).toMatchObject({ success: true });
    expect(h.usdc(h.account('merchant').address)).toBe(before + 10_000n);
  });
});

describe('a rekeyed payer', () => {
  async function rekeyedPayment(): Promise<PaymentPayload> {
    const old = accountFromSeed(new Uint8Array(32).fill(211));
    const key = accountFromSeed(new Uint8Array(32).fill(212), { address: old.address });
    await h.devnode.fund(old.address, 1_000_000n);
    await h.devnode.deal(old.address, USDC, 1_000_000n);
    const rekey = {
      ...(await h.header()),
      type: 'pay' as const,
      sender: old.address,
      receiver: old.address,
      amount: 0n,
    };
    await h.send(old, { ...rekey, rekeyTo: key.signerAddress });
    return h.pay(h.requirements(), key);
  }

  it('stock: is refused', async () => {
    expect(await stock.verify(await rekeyedPayment(), h.requirements())).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_invalid_signature',
    });
  });

  it('ours: pays', async () => {
    const payload = await rekeyedPayment();
    expect(await ours.verify(payload, h.requirements())).toMatchObject({ isValid: true });
    expect(await settle(payload)).toMatchObject({ success: true });
  });
});

describe('a payment with one round left', () => {
  async function nearExpiry(): Promise<PaymentPayload> {
    await h.devnode.mine(5);
    const { lastRound } = await h.algod.status();
    return paymentWith({ all: { firstValid: lastRound, lastValid: lastRound + 1n } });
  }

  it('stock: is verified, and lost when the handler takes a round', async () => {
    const payload = await nearExpiry();
    expect(await stock.verify(payload, h.requirements())).toMatchObject({ isValid: true });
    await h.devnode.mine();
    expect(await stock.settle(payload, h.requirements())).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_avm_simulation_failed',
    });
  });

  it('ours: is refused before the handler runs', async () => {
    expect(await ours.verify(await nearExpiry(), h.requirements())).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_window_too_short',
    });
  });
});

describe('a group that drains the sponsor: fifteen transactions that it signs, 80,000 µAlgo each', () => {
  async function drain(): Promise<PaymentPayload> {
    const header = await h.header();
    const sponsor = h.account('facilitator').address;
    const base = { ...header, type: 'pay' as const, sender: sponsor, receiver: sponsor, amount: 0n, fee: 80_000n };
    const fees = Array.from({ length: 15 }, (_, index) => ({ ...base, note: new Uint8Array([index]) }));
    const payer = h.account('payer');
    const transfer = {
      ...header,
      type: 'axfer' as const,
      sender: payer.address,
      receiver: h.account('merchant').address,
      assetId: USDC,
      amount: 10_000n,
      fee: 0n,
    };
    const group = assignGroup([...fees, transfer]);
    const members = group.map((one, index) => (index < 15 ? encodeTransaction(one) : payer.signTransaction(one)));
    return payloadOf(h.requirements(), members);
  }

  const sponsorHas = (): bigint => h.devnode.balance(h.account('facilitator').address).microAlgos;

  it('stock: is settled, for 1.2 Algo', async () => {
    const before = sponsorHas();
    expect(await stock.settle(await drain(), h.requirements())).toMatchObject({ success: true });
    expect(before - sponsorHas()).toBe(1_200_000n);
  });

  it('ours: is refused, and costs nothing', async () => {
    const before = sponsorHas();
    expect(await settle(await drain())).toMatchObject({
      errorReason: 'invalid_exact_avm_group_shape',
      transaction: '',
    });
    expect(sponsorHas()).toBe(before);
  });
});

describe('what can be told without a node', () => {
  const cases = {
    'another genesis': {
      make: () => paymentWith({ all: { genesisHash: new Uint8Array(32).fill(7) } }),
      reason: 'invalid_exact_avm_genesis_hash_mismatch',
    },
    'a group id that is not the hash of the group': {
      make: async () => {
        const group = new Uint8Array(32).fill(9);
        const header = { ...(await h.header()), group };
        const sponsor = h.account('facilitator').address;
        const fee = { ...header, type: 'pay' as const, sender: sponsor, receiver: sponsor, amount: 0n, fee: 2_000n };
        const payer = h.account('payer');
        const axfer = {
          ...header,
          type: 'axfer' as const,
          sender: payer.address,
          receiver: h.account('merchant').address,
          assetId: USDC,
          amount: 10_000n,
          fee: 0n,
        };
        return payloadOf(h.requirements(), [encodeTransaction(fee), payer.signTransaction(axfer)]);
      },
      reason: 'invalid_exact_avm_group_id_mismatch',
    },
  };

  it.each(Object.entries(cases))('stock: asks a node about %s, and says only that it failed', async (_, { make }) => {
    const payload = await make();
    proxy.requests.length = 0;
    expect(await stock.verify(payload, h.requirements())).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_avm_simulation_failed',
    });
    expect(proxy.requests).toContain('POST /v2/transactions/simulate');
  });

  it.each(Object.entries(cases))('ours: knows %s by itself, with a code of its own', async (_, { make, reason }) => {
    const payload = await make();
    proxy.requests.length = 0;
    expect(await ours.verify(payload, h.requirements())).toMatchObject({ isValid: false, invalidReason: reason });
    expect(proxy.requests.filter((request) => !request.includes('/wait-for-block-after/'))).toEqual([]);
  });
});
