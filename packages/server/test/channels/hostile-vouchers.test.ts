import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { signVoucher } from '@avm402/avm/batch-settlement';
import { BatchSettlementAvmClient } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import { encodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { describe, expect, it } from 'vitest';
import { eventually, offerIn, receiptIn } from '../support/shop.ts';
import { ask, ChannelBuyer, type ChannelShop, openChannelShop, payer, statuses } from '../support/channel-shop.ts';

const REASON = 'invalid_batch_settlement_avm_';
const stranger = createSigner(new Uint8Array(32).fill(77));

/** A shop, and a buyer whose channel of 1,000 has paid for one request. */
async function openedChannel(): Promise<{ shop: ChannelShop; buyer: ChannelBuyer; first: Record<string, string> }> {
  const shop = await openChannelShop();
  const buyer = await ChannelBuyer.of(shop);
  const first = await buyer.deposit(1000n, 100n);
  expect((await ask(shop, first)).status).toBe(200);
  return { shop, buyer, first };
}

async function refusal(shop: ChannelShop, headers: Record<string, string>): Promise<string | undefined> {
  const answer = await ask(shop, headers);
  return answer.status === 402 ? offerIn(answer).error?.replace(REASON, '') : `served with ${answer.status}`;
}

async function chargedOf({ store }: ChannelShop, { channelId }: ChannelBuyer): Promise<bigint | undefined> {
  return (await store.get(channelId))?.charged;
}

describe('a voucher that is not what it should be', () => {
  it('pays for nothing when it is replayed, by whomever', async () => {
    const { shop, buyer, first } = await openedChannel();
    const paid = buyer.pay(200n);
    expect((await ask(shop, paid)).status).toBe(200);
    expect(await refusal(shop, paid)).toBe('channel_busy');
    expect(await refusal(shop, first)).toBe('channel_busy');
    expect([shop.runs(), await chargedOf(shop, buyer)]).toEqual([2, 200n]);
  });

  it('pays for one request when it comes twice at the same time', async () => {
    const { shop, buyer } = await openedChannel();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(shop, buyer.pay(200n))));
    expect(statuses(answers)).toEqual([200, 402, 402, 402, 402, 402, 402, 402]);
    expect([shop.runs(), await chargedOf(shop, buyer)]).toEqual([2, 200n]);
  });

  it('pays for its request when others overtake it, and for none when they have used what it covers', async () => {
    const { shop, buyer } = await openedChannel();
    expect((await ask(shop, buyer.pay(300n))).status).toBe(200);
    expect((await ask(shop, buyer.pay(200n))).status).toBe(200);
    expect(await refusal(shop, buyer.pay(150n))).toBe('cumulative_amount_mismatch');
    expect([shop.runs(), await chargedOf(shop, buyer)]).toEqual([3, 300n]);
  });

  it('pays for one request, however much it is over: what was withheld in between is not lost', async () => {
    const { shop, buyer } = await openedChannel();
    const answer = await ask(shop, buyer.pay(900n));
    expect(receiptIn(answer)?.extra).toMatchObject({
      chargedAmount: '100',
      channelState: { chargedCumulativeAmount: '200' },
    });
    expect(await chargedOf(shop, buyer)).toBe(200n);
  });

  it('is taken up to the balance, and not above it by one', async () => {
    const { shop, buyer } = await openedChannel();
    expect(await refusal(shop, buyer.pay(1001n))).toBe('cumulative_exceeds_balance');
    expect((await ask(shop, buyer.pay(1000n))).status).toBe(200);
  });

  it('is refused when another key has signed it', async () => {
    const { shop, buyer } = await openedChannel();
    expect(await refusal(shop, buyer.headers({ type: 'voucher', voucher: buyer.voucher(200n, stranger) }))).toBe(
      'voucher_signature',
    );
    expect(shop.runs()).toBe(1);
  });

  it('is refused when it is another channel’s, under either configuration', async () => {
    const { shop, buyer } = await openedChannel();
    const other = await ChannelBuyer.of(shop);
    const others = other.voucher(200n);
    expect(await refusal(shop, buyer.headers({ type: 'voucher', voucher: others }))).toBe('channel_id_mismatch');
    const signed = signVoucher(other.session, buyer.channelId, 200n);
    expect(await refusal(shop, buyer.headers({ type: 'voucher', voucher: signed }))).toBe('voucher_signature');
    expect(await refusal(shop, other.headers({ type: 'voucher', voucher: others }))).toBe('channel_not_found');
  });

  it('brings what the client needs to sign anew: the charge, and its own signature', async () => {
    const { shop, buyer } = await openedChannel();
    const answer = await ask(shop, buyer.pay(150n));
    expect(offerIn(answer).accepts[0]?.extra).toMatchObject({
      channelState: { channelId: buyer.channelId, balance: '1000', totalClaimed: '0', chargedCumulativeAmount: '100' },
      voucherState: {
        signedMaxClaimable: '100',
        signature: Buffer.from(buyer.voucher(100n).signature).toString('base64'),
      },
    });
  });
});

describe('a deposit', () => {
  it('is counted once, with whatever vouchers its group comes again', async () => {
    const { shop, buyer } = await openedChannel();
    const topUp = await buyer.deposit(500n, 200n);
    expect((await ask(shop, topUp)).status).toBe(200);
    const again = buyer.headers(partOf(topUp, buyer, 300n));
    expect((await ask(shop, again)).status).toBe(200);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ balance: 1500n, charged: 300n });
    expect(shop.market.facilitator.asked).toEqual(['deposit', 'deposit']);
  });

  it('is settled with the second voucher of its buyer, who is told what the first does not cover', async () => {
    const { shop, buyer } = await openedChannel();
    const low = await buyer.deposit(500n, 150n);
    const answer = await ask(shop, low);
    expect([answer.status, offerIn(answer).error]).toEqual([402, `${REASON}cumulative_amount_mismatch`]);
    expect(offerIn(answer).accepts[0]?.extra).toMatchObject({
      channelState: { channelId: buyer.channelId, chargedCumulativeAmount: '100' },
      voucherState: { signedMaxClaimable: '100' },
    });
    expect((await ask(shop, buyer.headers(partOf(low, buyer, 200n)))).status).toBe(200);
    expect(shop.market.facilitator.asked).toEqual(['deposit', 'deposit']);
  });

  it('is not settled for a request that would be refused all the same', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    expect(await refusal(shop, await buyer.deposit(1000n, 1001n))).toBe('cumulative_exceeds_balance');
    // The next one adds to a channel that was not opened.
    expect(await refusal(shop, await buyer.deposit(1000n, 100n))).toBe('channel_not_found');
    expect(shop.market.facilitator.asked).toEqual([]);
  });

  it('is not settled for a channel that is closing or closed', async () => {
    const shop = await openChannelShop();
    const { facilitator } = shop.market;
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
    facilitator.trouble = () => Promise.reject(new Error('the node is down'));
    const close = async () => shop.seller.channels?.close(buyer.channelId);
    await expect(close()).rejects.toMatchObject({ code: 'channel_not_closed' });
    expect(await refusal(shop, await buyer.deposit(500n, 200n))).toBe('channel_closed');
    facilitator.trouble = undefined;
    await close();
    expect(await refusal(shop, await buyer.deposit(500n, 200n))).toBe('channel_closed');
    expect(facilitator.asked).toEqual(['deposit', 'claim', 'claim']);
  });

  it('is not refused because of a copy that somebody else has signed', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const genuine = await buyer.deposit(1000n, 100n);
    const copy = copySignedBy(accountFromSeed(new Uint8Array(32).fill(78), payer), genuine);
    const { facilitator } = shop.market;
    let refuse: () => void = () => undefined;
    const isRefused = new Promise<void>((resolve) => (refuse = resolve));
    facilitator.trouble = async ({ payload }) => {
      if (JSON.stringify(payload['deposit']) !== JSON.stringify(payloadOf(copy).deposit)) return undefined;
      await isRefused;
      const errorReason = 'invalid_exact_avm_signature';
      return { success: false, errorReason, transaction: '', network: facilitator.network };
    };
    const copied = ask(shop, copy);
    await eventually(() => facilitator.asked.length).toBe(1);
    expect((await ask(shop, genuine)).status).toBe(200);
    refuse();
    expect((await copied).status).toBe(402);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ balance: 1000n, charged: 100n });
  });

  it('is settled in turn with whatever else strangers ask: beyond the bound the next one waits for another time', async () => {
    const shop = await openChannelShop({ maxVerifications: 1 });
    const buyers = await Promise.all(Array.from({ length: 14 }, () => ChannelBuyer.of(shop)));
    const deposits = await Promise.all(buyers.map((buyer) => buyer.deposit(1000n, 100n)));
    const { facilitator } = shop.market;
    let settle: () => void = () => undefined;
    const isSettled = new Promise<undefined>((resolve) => (settle = () => resolve(undefined)));
    facilitator.trouble = () => isSettled;
    const asked = deposits.map((deposit) => ask(shop, deposit));
    const refused = await Promise.race(asked);
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ error: 'verification_overloaded' }),
    ]);
    settle();
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200).length).toBe(shop.runs());
    expect(shop.runs()).toBeGreaterThan(7);
  });

  it('whose settlement is not known can be presented again, and is asked for with the same key', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const { facilitator } = shop.market;
    const headers = await buyer.deposit(1000n, 100n);
    facilitator.trouble = () =>
      Promise.resolve({
        success: false,
        errorReason: 'settlement_pending',
        transaction: '',
        network: facilitator.network,
      });
    const options = { settleTimeoutMs: 50 };
    const hasty = await openChannelShop({ market: shop.market, channels: { store: shop.store }, ...options });
    const pending = await ask(hasty, headers);
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([503, '2']);
    expect(receiptIn(pending)?.errorReason).toBe('settlement_pending');
    facilitator.trouble = undefined;
    expect((await ask(shop, headers)).status).toBe(200);
    expect(await chargedOf(shop, buyer)).toBe(100n);
  });

  it('whose settlement became known to its stock buyer alone pays for the next request', async () => {
    const shop = await openChannelShop();
    const { market, store } = shop;
    const { facilitator, algod } = market;
    const hasty = await openChannelShop({ market, channels: { store }, settleTimeoutMs: 50 });
    const { accepted } = await ChannelBuyer.of(shop);
    const stock = new BatchSettlementAvmClient({ account: payer, algod: () => algod });
    const pay = async (at: ChannelShop) => {
      const made = await stock.createPaymentPayload(2, accepted);
      return ask(at, { [PAYMENT_SIGNATURE_HEADER]: encodePaymentSignatureHeader({ ...made, accepted }) });
    };
    const settle = facilitator.settle.bind(facilitator);
    facilitator.settle = async (...asked) => {
      const { network } = await settle(...asked);
      return { success: false, errorReason: 'settlement_pending', transaction: '', network };
    };
    expect((await pay(hasty)).status).toBe(503);
    facilitator.settle = settle;
    expect((await pay(shop)).status).toBe(200);
  });
});

it('a deposit that no facilitator takes is answered with its trouble: nothing is pending, and it pays once one takes it', async () => {
  const shop = await openChannelShop();
  const buyer = await ChannelBuyer.of(shop);
  const { facilitator } = shop.market;
  const headers = await buyer.deposit(1000n, 100n);
  facilitator.trouble = () => Promise.reject(new X402Error('sponsor_unfunded'));
  const answer = await ask(shop, headers);
  const body: unknown = await answer.json();
  expect([answer.status, Object(body).error, receiptIn(answer)]).toEqual([503, 'sponsor_unfunded', undefined]);
  expect(shop.events.filter(({ type }) => type === 'pending' || type === 'released')).toEqual([]);
  facilitator.trouble = undefined;
  expect((await ask(shop, headers)).status).toBe(200);
});

describe('a message that is not the client’s to send', () => {
  it('is a claim: only the seller closes with one', async () => {
    const { shop, buyer } = await openedChannel();
    const claim = { type: 'claim', amount: 1n, voucher: buyer.voucher(1n), authorization: new Uint8Array(64) } as const;
    expect(await refusal(shop, buyer.headers(claim))).toBe('payload');
  });

  it('is a request to close by whoever knows the channel’s id, or has seen the requests that it paid for', async () => {
    const { shop, buyer, first } = await openedChannel();
    expect(await refusal(shop, buyer.refund(stranger))).toBe('close_authorization');
    expect(await refusal(shop, buyer.headers({ type: 'refund' }))).toBe('close_authorization');
    for (const headers of [first, buyer.pay(100n)]) {
      const { voucher, channelConfig } = payloadOf(headers);
      const seen = { type: 'refund', channelConfig, voucher, authorization: voucher.signature };
      expect(await refusal(shop, withPayload(headers, seen))).toBe('close_authorization');
    }
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ state: 'open' });
  });
});

function payloadOf(headers: Record<string, string>) {
  const text = Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString();
  return JSON.parse(text).payload;
}

/** The headers, with another part of the scheme. */
function withPayload(headers: Record<string, string>, payload: unknown): Record<string, string> {
  const text = Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString();
  const changed = JSON.stringify({ ...JSON.parse(text), payload });
  return { 'PAYMENT-SIGNATURE': Buffer.from(changed).toString('base64') };
}

/** The same transaction, signed by an account that says that it may sign for the payer. */
function copySignedBy(signer: Account, headers: Record<string, string>): Record<string, string> {
  const payload = payloadOf(headers);
  const group: string[] = payload.deposit.paymentGroup;
  const members = group.map((member) => Buffer.from(member, 'base64'));
  const { txn } = decodeSignedTransaction(members.at(-1) ?? new Uint8Array());
  const paymentGroup = [...group.slice(0, -1), Buffer.from(signer.signTransaction(txn)).toString('base64')];
  return withPayload(headers, { ...payload, deposit: { ...payload.deposit, paymentGroup } });
}

/** The deposit of a header, with another voucher. */
function partOf(headers: Record<string, string>, buyer: ChannelBuyer, amount: bigint) {
  const { deposit } = payloadOf(headers);
  const paymentGroup = deposit.paymentGroup.map((bytes: string) => ({ bytes: Buffer.from(bytes, 'base64') }));
  return {
    type: 'deposit',
    voucher: buyer.voucher(amount),
    deposit: { amount: BigInt(deposit.amount), paymentGroup },
  } as const;
}
