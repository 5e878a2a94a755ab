import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId } from '@avm402/algorand/transaction';
import { channelId, parseChannelPayload } from '@avm402/avm/batch-settlement';
import { CHANNEL_MINIMUM_BALANCE } from '@avm402/avm/batch-settlement/facilitator';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { createMemorySettlementStore } from '@avm402/facilitator';
import { USDC } from '@avm402/stack/balances';
import { afterEach, describe, expect, it } from 'vitest';
import { channelConfig, channelRequirements, DEPOSIT, groupTerms, openingPayment } from '../channels/deposit.ts';
import { sendFrom } from '../send-from.ts';
import { SponsoredStage } from './sponsored-stage.ts';

let stage: SponsoredStage;
afterEach(() => stage.stop());

/** The TxID of the deposit that opens a channel. */
function depositId({ payload }: PaymentPayload): string {
  const parsed = parseChannelPayload(payload);
  if (parsed.type !== 'deposit') throw new Error('no deposit');
  const transfer = parsed.deposit.paymentGroup.at(-1)?.bytes ?? new Uint8Array();
  return transactionId(decodeSignedTransaction(transfer).txn);
}

describe('an opening that a node has had and lost, refused since, while a copy of it may be confirmed', () => {
  it.each([
    { what: 'counts as an open channel of its payer', salt: 2, ofPayer: 1, reason: 'sponsorship' },
    { what: 'keeps its address from being lent to once more', salt: 1, ofPayer: 9, reason: 'channel_used' },
  ])('$what', async ({ salt: nextSalt, ofPayer, reason }) => {
    let clock = Date.now();
    const store = createMemorySettlementStore({ now: () => clock });
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), anyone: true, anyoneBudget: 100_000n },
      channels: { minDeposit: 1n, minRounds: 1_000n, ofPayer },
      store,
      now: () => clock,
    }));
    const { node, algod, url } = stage;
    const payer = stage.account('payer');
    const parties = {
      payer: payer.address,
      seller: stage.account('merchant').address,
      sponsor: stage.account('facilitator').address,
    };
    const opening = async (salt: number, lasts: bigint) => {
      const config = { ...(await channelConfig(algod, parties)), expiry: 5_000n, salt: new Uint8Array(16).fill(salt) };
      const accepted = await channelRequirements(url, config);
      const terms = await groupTerms(algod);
      const window = { ...terms, lastValid: terms.firstValid + lasts };
      return {
        id: channelId(config),
        payment: await openingPayment(config, { algod, payer, accepted, terms: window }),
      };
    };
    await node.pause();
    const lost = await opening(1, 100n);
    const answer = stage.ask('settle', lost.payment);
    const isDropped = async (): Promise<number> => {
      try {
        return (await node.drop(depositId(lost.payment))).length;
      } catch {
        return 0;
      }
    };
    await expect.poll(isDropped).toBe(4);
    const copy = (await store.find(depositId(lost.payment)))?.group ?? new Uint8Array();
    await node.setFrozen(payer.address, USDC, true);
    clock += 10_000;
    await node.mine(6);
    expect(await answer).toMatch(/^invalid_batch_settlement_avm_/);
    await node.setFrozen(payer.address, USDC, false);
    await node.resume();

    const next = await opening(nextSalt, 90n);
    const second = await stage.ask('settle', next.payment);
    await algod.sendRawTransaction(copy);
    const lent = [...new Set([lost.id, next.id])].map((id) => node.balance(id).microAlgos);
    expect([second, lent.reduce((sum, one) => sum + one, 0n)]).toEqual([
      `invalid_batch_settlement_avm_${reason}`,
      CHANNEL_MINIMUM_BALANCE,
    ]);
  });
});

describe('a sponsor of anyone, asked by strangers for channels in an asset that they have issued themselves', () => {
  /** Opens a channel of a payer to a seller in an asset; the answer. */
  async function open(payer: Account, seller: string, token: bigint): Promise<string> {
    const { algod, url } = stage;
    const parties = { payer: payer.address, seller, sponsor: stage.account('facilitator').address };
    const config = { ...(await channelConfig(algod, parties)), token };
    const accepted = { ...(await channelRequirements(url, config)), asset: String(token) };
    return stage.ask('settle', await openingPayment(config, { algod, payer, accepted }));
  }

  it('lends them nothing: their deposits are worth nothing, so nothing makes them give the ALGO back', async () => {
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), payTo: [account('merchant').address], anyone: true },
      channels: { minDeposit: 1n, minRounds: 1_000n, ofReceiver: 3, lent: 3n * CHANNEL_MINIMUM_BALANCE },
    }));
    const { node } = stage;
    const [issuer, accomplice] = [stage.account('payer2'), stage.account('payer3')];
    const parameters = { total: 10n * DEPOSIT, decimals: 0, unitName: 'NIL' };
    await sendFrom(stage.algod, issuer, { type: 'acfg', assetId: 0n, parameters });
    const nil = 1001n;
    await node.deal(accomplice.address, nil, 1n);
    const before = stage.sponsorHas;
    const answers: string[] = [];
    for (const filler of [51, 52, 53]) {
      const thief = accountFromSeed(new Uint8Array(32).fill(filler));
      await node.fund(thief.address, 1_000_000n);
      await node.deal(thief.address, nil, DEPOSIT);
      answers.push(await open(thief, accomplice.address, nil));
      const farewell = { receiver: issuer.address, assetId: nil, amount: 0n, assetCloseTo: issuer.address };
      await sendFrom(stage.algod, thief, { type: 'axfer', ...farewell });
    }
    await node.mine(3_000);
    expect([answers, before - stage.sponsorHas]).toEqual([
      Array.from({ length: 3 }, () => 'invalid_batch_settlement_avm_sponsorship'),
      0n,
    ]);
    expect(await open(stage.account('payer'), stage.account('merchant').address, USDC)).toBe('ok');
  });
});
