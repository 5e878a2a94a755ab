import { describe, expect, it } from 'vitest';
import { formatAddress } from '@avm402/algorand/address';
import type { BatchSettlementAvmClientOptions } from '../../../src/batch-settlement/client/batch-settlement-avm-client.ts';
import { isCloseSigned } from '../../../src/batch-settlement/close-authorization.ts';
import { parseChannelPayload } from '../../../src/batch-settlement/payload.ts';
import { payer, seller } from '../channel-fixture.ts';
import {
  algod,
  amountOf,
  buyer,
  failed,
  idOf,
  offer,
  paid,
  summary,
  telling,
  useWorld,
  withChannel,
  world,
} from './stock-buyer.ts';

useWorld();

describe('the deposit that a stock client makes', () => {
  it.each<[string, Partial<BatchSettlementAvmClientOptions>, object, unknown]>([
    ['is a hundred times the price', {}, {}, 1_000_000n],
    ['is as many times the price as the program says', { depositMultiple: 11n }, {}, 110_000n],
    ['is never less than the seller asks for', { depositMultiple: 11n, maxDeposit: 100_000n }, {}, 100_000n],
    ['is within the stock cap on a payment', {}, { maxAmountPerPayment: '500000' }, 500_000n],
    ['is within the program’s limit', { maxDeposit: 400_000n }, {}, 400_000n],
    [
      'is within the program’s limit, whatever the cap',
      { maxDeposit: 400_000n },
      { maxAmountPerPayment: '1' },
      400_000n,
    ],
    ['is the seller’s least at the limit', { maxDeposit: 100_000n }, {}, 100_000n],
    ['is not made beyond the limit', { maxDeposit: 99_999n }, {}, 'spend_limit_exceeded'],
    ['is not made beyond the cap', {}, { maxAmountPerPayment: '99999' }, 'spend_limit_exceeded'],
    ['is not made for more than its multiple', { depositMultiple: 9n }, {}, 'spend_limit_exceeded'],
  ])('%s', async (_what, options, context, outcome) => {
    const made = await buyer(options)
      .presents('10000', context)
      .then((payload) => summary(payload)[2])
      .catch(({ code }: { readonly code: string }) => code);
    expect(made).toBe(outcome);
  });

  it('is of this scheme alone', async () => {
    await expect(buyer().presents('10000', {}, { scheme: 'exact' })).rejects.toMatchObject({
      code: 'unsupported_scheme',
    });
  });

  it.each([payer.address, seller.address.toLowerCase()])(
    'is not made for a channel to the payer itself, which only its closer could end, or to no address: %s',
    async (payTo) => {
      const { client, presents } = buyer();
      await expect(presents('10000', {}, { payTo })).rejects.toMatchObject({ code: 'invalid_pay_to' });
      expect(client.channels()).toEqual([]);
    },
  );

  it('adds to the channel when it is used up, with another group each time', async () => {
    const { presents, hears, opening } = await withChannel();
    expect(summary(opening)).toEqual(['deposit', 10_000n, 1_000_000n, 4]);
    expect(summary(await presents('990000'))).toEqual(['voucher', 1_000_000n]);
    const topUp = await presents('10000');
    expect(summary(topUp)).toEqual(['deposit', 1_010_000n, 1_000_000n, 2]);
    await hears(topUp, paid('10000'));
    expect(summary(await presents('900000'))).toEqual(['voucher', 1_910_000n]);
    const next = await presents('100000');
    const ids = [topUp, next].map((one) => one.type === 'deposit' && one.deposit.paymentGroup.at(-1)?.txId);
    expect([new Set(ids).size, ids.includes(undefined)]).toEqual([2, false]);
  });
});

describe('what a stock client learns from the answer to a voucher', () => {
  /** The amount of its next voucher, and whether it believes then that the request cost all that it could. */
  async function after(answer: object): Promise<[bigint | undefined, boolean]> {
    const { presents, hears } = await withChannel();
    const voucher = await presents();
    await hears(voucher, answer);
    const next = await presents();
    return [amountOf(next), await hears(next, telling(voucher, 20_000n))];
  }

  const told402 = { paymentRequired: { accepts: [] } };
  it.each<[string, object, bigint, boolean]>([
    ['a receipt of a part', paid('4000'), 24_000n, true],
    ['a receipt of all', paid('10000'), 30_000n, true],
    ['a receipt without a charge', paid(), 30_000n, true],
    ['a receipt of more than all, which is a lie', paid('10001'), 30_000n, true],
    ['a 402', told402, 20_001n, false],
    ['a refusal', failed('channel_busy'), 20_001n, false],
    ['a refusal with a 402', { ...failed('channel_busy'), ...told402 }, 20_001n, false],
    ['word that it is pending', failed('settlement_pending'), 20_001n, true],
    ['word that it is pending with a 402', { ...failed('settlement_pending'), ...told402 }, 20_001n, true],
    ['nothing', {}, 20_001n, true],
  ])('%s', async (_what, answer, next, isBelieved) => {
    expect(await after(answer)).toEqual([next, isBelieved]);
  });

  it('a 402 that tells what its own key has signed: it signs anew, above that', async () => {
    const { presents, hears } = await withChannel();
    const [lost, voucher] = [await presents(), await presents()];
    await hears(lost, {});
    expect(await hears(voucher, telling(lost, 20_000n))).toBe(true);
    expect(amountOf(await presents())).toBe(30_001n);
    expect(await hears(voucher, telling({ ...lost, channelConfig: { ...lost.channelConfig, token: 9n } }, 1n))).toBe(
      false,
    );
  });

  it('nothing from an answer about another scheme, another channel or a close', async () => {
    const { presents, hears, client, opening } = await withChannel();
    const voucher = await presents();
    const [, stranger] = [voucher, buyer()];
    expect(await stranger.hears(voucher, telling(voucher, 10_000n))).toBe(false);
    const { onPaymentResponse } = client.schemeHooks;
    const exact = { paymentPayload: { payload: {} }, requirements: { ...offer, scheme: 'exact' }, ...paid() };
    expect(await onPaymentResponse?.(exact as unknown as Parameters<typeof onPaymentResponse>[0])).toBeUndefined();
    expect(await hears({ type: 'refund', channelConfig: opening.channelConfig }, paid())).toBe(false);
  });
});

describe('the channels of a stock client', () => {
  it('are one for each network, asset, seller, closer, claim key and lender', async () => {
    const { presents, client } = buyer();
    const other = formatAddress(new Uint8Array(32).fill(3));
    const changes = [
      {},
      { asset: '9' },
      { payTo: other },
      ...['receiverAuthorizer', 'claimAuthorizer', 'funder'].map((name) => ({
        extra: { ...offer.extra, [name]: other },
      })),
    ];
    const ids = new Set<string>();
    for (const change of changes) ids.add(idOf(await presents('10000', {}, change)));
    expect([ids.size, client.channels().length]).toEqual([6, 6]);
  });

  it('are closed by the word of their own session key, and pay nothing more; the others go on', async () => {
    const { presents, hears, client, opening } = await withChannel();
    const elsewhere = await presents('10000', {}, { asset: '9' });
    await hears(elsewhere, paid('10000'));
    const word = parseChannelPayload(await client.closePayload(idOf(opening)));
    const { payerAuthorizer } = opening.channelConfig;
    const authorization = word.type === 'refund' ? word.authorization : undefined;
    expect(isCloseSigned(authorization ?? new Uint8Array(), idOf(opening), payerAuthorizer)).toBe(true);
    expect((await presents('10000', {}, { asset: '9' })).type).toBe('voucher');
    const next = await presents();
    expect([next.type, idOf(next) === idOf(opening)]).toEqual(['deposit', false]);
    await expect(client.closePayload(seller.address)).rejects.toMatchObject({ code: 'channel_unavailable' });
  });

  it('are closed while another one can’t be opened', async () => {
    const asked = Promise.withResolvers<never>();
    let fails = false;
    const shaky = { ...algod, params: () => (fails ? asked.promise : algod.params()) };
    const { presents, hears, client } = buyer({ algod: () => shaky });
    const opening = await presents();
    await hears(opening, paid('10000'));
    fails = true;
    const elsewhere = presents('10000', {}, { asset: '9' });
    const word = client.closePayload(idOf(opening));
    asked.reject(new Error('no answer'));
    await expect(elsewhere).rejects.toThrow('no answer');
    expect(parseChannelPayload(await word).type).toBe('refund');
  });

  it.each<[string, typeof world.node.account]>([
    ['empty', { minBalance: 100_000n }],
    ['handed over', { minBalance: 200_000n, authAddress: payer.address }],
  ])('are followed by another once the buyer’s own node finds the refused one %s', async (_what, account) => {
    const { presents, hears, opening } = await withChannel();
    const refused = { paymentRequired: { accepts: [], error: 'invalid_batch_settlement_avm_channel_closed' } };
    const afterRefusal = async () => {
      await hears(await presents(), refused);
      const next = await presents();
      return [next.type, idOf(next) === idOf(opening)];
    };
    world.node = { ...world.node, round: 9_000n, held: 1_000_000n };
    expect(await afterRefusal(), 'by the seller’s word alone').toEqual(['voucher', true]);
    world.node = { round: 100n, held: undefined, account };
    expect(await afterRefusal(), 'by a node that may be behind').toEqual(['voucher', true]);
    world.node = { ...world.node, round: 9_000n };
    expect((await presents()).type, 'of a channel that is not refused').toBe('voucher');
    expect(await afterRefusal()).toEqual(['deposit', false]);
  });

  it('are opened again by the next request where the node failed at the first', async () => {
    let fails = true;
    const shaky = { ...algod, params: async () => (fails ? Promise.reject(new Error('no answer')) : algod.params()) };
    const { presents } = buyer({ algod: () => shaky });
    await expect(presents()).rejects.toThrow('no answer');
    fails = false;
    expect((await presents()).type).toBe('deposit');
  });
});
