import { parseAccount } from '@avm402/algorand/account';
import { x402Facilitator } from '@x402/core/facilitator';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { silentLog } from '../../src/log/log.ts';
import {
  createFacilitator,
  type Facilitator,
  type SponsorshipOptions,
  createMemorySettlementStore,
  type SettlementStore,
} from '../../src/index.ts';
import { nobody } from './channel-stage.ts';
import { chargesOnChain } from './charges-on-chain.ts';
import { DevnodeHarness, twoSponsors } from '../devnode-harness.ts';
import { KEY, OTHER_KEY, withChanges } from '../harness.ts';
import { type Death, MortalReplica } from '../mortal-replica.ts';

const MAXIMUM = '50000';

/** What a seller has: a payment that was verified, to be settled for what its request cost. */
interface Accepted {
  readonly payload: PaymentPayload;
  readonly offer: PaymentRequirements;
}

let store: SettlementStore;
let recorded: string[];
let h: DevnodeHarness;
beforeAll(async () => {
  const memory = createMemorySettlementStore();
  recorded = [];
  store = withChanges(memory, {
    record: async (row, options) => {
      recorded.push(row.txId);
      return memory.record(row, options);
    },
    close: async () => {},
  });
  // It looks for what others left behind every third of its lease.
  h = await DevnodeHarness.start({ facilitator: { store, sponsorship: twoSponsors, leaseMs: 300 } });
});
afterAll(() => h.stop());

async function accept(
  change: Partial<PaymentRequirements> = {},
  stage = h,
  account = stage.account('payer'),
): Promise<Accepted> {
  const extra = { feePayer: stage.account('usdcIssuer').address };
  const offer = stage.requirements({ scheme: 'upto', amount: MAXIMUM, extra, ...change });
  const client = new UptoAvmClient({ account, algod: () => stage.algod });
  return { payload: { ...(await client.createPaymentPayload(2, offer)), accepted: offer }, offer };
}

interface Call {
  readonly key?: string;
  readonly facilitator?: Facilitator;
  readonly respondAsync?: boolean;
}

function charge({ payload, offer }: Accepted, amount: string, call: Call = {}) {
  const { key: idempotencyKey = KEY, facilitator = h.facilitator, ...options } = call;
  return facilitator.settle(payload, { ...offer, amount }, { idempotencyKey, ...options });
}

/** What the blocks say was taken under the authorization. */
function taken({ payload }: Accepted, { algod } = h) {
  return chargesOnChain(algod, payload);
}

describe('a facilitator that settles at most an amount', () => {
  it('says in /supported who settles, and nothing of it where nobody pays the fee', async () => {
    const feePayer = h.account('usdcIssuer').address;
    const { kinds } = await h.facilitator.getSupported();
    const upto = kinds.filter(({ scheme }) => scheme === 'upto');
    expect(upto.map(({ network }) => network)).toEqual(h.facilitator.networks);
    expect(upto[0]?.extra).toEqual({ feePayer });
    const unsponsored = createFacilitator({ networks: [{ algods: [h.algod] }] });
    const { kinds: others } = await unsponsored.getSupported();
    expect(others.map(({ scheme }) => scheme)).toEqual(['exact', 'exact']);
    await unsponsored.close();
  });

  it('is not offered by one that has no account but the closer’s, which its log says', async () => {
    const told: string[] = [];
    const log = { ...silentLog, info: (_: object, message: string) => void told.push(message) };
    const alone = createFacilitator({
      networks: [{ algods: [h.algod] }],
      sponsorship: { account: h.account('facilitator') },
      log,
    });
    const { kinds } = await alone.getSupported();
    expect(new Set(kinds.map(({ scheme }) => scheme))).toEqual(new Set(['exact', 'batch-settlement']));
    expect(told).toContainEqual(expect.stringContaining('upto is not offered'));
    await alone.close();
  });

  it.each(['1', '12345', MAXIMUM])('settles a charge of %s for exactly that', async (amount) => {
    const accepted = await accept();
    const payer = h.account('payer').address;
    const sponsor = h.account('usdcIssuer').address;
    expect(await h.facilitator.verify(accepted.payload, accepted.offer)).toEqual({ isValid: true, payer });
    const before = h.devnode.balance(sponsor).microAlgos;
    const answer = await charge(accepted, amount);
    const { network } = accepted.offer;
    const extra = { confirmedRound: expect.stringMatching(/^\d+$/) };
    expect(answer).toEqual({ success: true, payer, transaction: expect.any(String), network, amount, extra });
    expect(await taken(accepted)).toEqual([{ txId: answer.transaction, amount: BigInt(amount) }]);
    expect(before - h.devnode.balance(sponsor).microAlgos).toBe(2_000n);
    expect(await store.find(answer.transaction)).toMatchObject({
      state: 'confirmed',
      amount: BigInt(amount),
      payer,
      feePayer: sponsor,
      sponsoredFee: 2_000n,
      terms: 'listed',
    });
  });

  it('answers a charge of 0 with success and no transaction, and records nothing', async () => {
    const accepted = await accept();
    const before = recorded.length;
    expect(await charge(accepted, '0')).toEqual({
      success: true,
      payer: h.account('payer').address,
      transaction: '',
      network: h.network,
      amount: '0',
    });
    expect(recorded).toHaveLength(before);
    expect(await taken(accepted)).toEqual([]);
  });

  it('refuses a charge above the maximum by one', async () => {
    const accepted = await accept();
    expect(await charge(accepted, '50001')).toMatchObject({ errorReason: 'invalid_upto_avm_above_maximum' });
    expect(await taken(accepted)).toEqual([]);
  });

  it('tells the outcome again to the same key, and to that key only', async () => {
    const accepted = await accept();
    const answers = await Promise.all([charge(accepted, '700'), charge(accepted, '700')]);
    expect(answers[0]).toMatchObject({ success: true });
    expect([...answers, await charge(accepted, '700')]).toEqual([answers[0], answers[0], answers[0]]);
    expect(await charge(accepted, '700', { key: OTHER_KEY })).toMatchObject({ errorReason: 'duplicate_settlement' });
    expect(await taken(accepted)).toHaveLength(1);
  });

  it('refuses another charge once one is settled, for less or for more', async () => {
    const accepted = await accept();
    await charge(accepted, '700');
    for (const amount of ['699', '701']) {
      expect(await charge(accepted, amount)).toMatchObject({ errorReason: 'invalid_upto_avm_settled' });
    }
    expect(await taken(accepted)).toMatchObject([{ amount: 700n }]);
  });

  it('refuses another charge while one waits for its block', async () => {
    const slow = await DevnodeHarness.start({
      node: { blocks: 'manual' },
      facilitator: { sponsorship: twoSponsors },
    });
    const accepted = await accept({}, slow);
    const { facilitator } = slow;
    const inPool = await charge(accepted, '700', { facilitator, respondAsync: true });
    expect(inPool).toMatchObject({ errorReason: 'settlement_pending' });
    const held = { errorReason: 'invalid_upto_avm_lease_held' };
    expect(await charge(accepted, '701', { facilitator })).toMatchObject(held);
    await slow.devnode.mine(1);
    expect(await charge(accepted, '700', { facilitator })).toMatchObject({ success: true, amount: '700' });
    expect(await taken(accepted, slow)).toMatchObject([{ amount: 700n }]);
    await slow.stop();
  });

  it('pays no fee for a seller whom it does not sponsor', async () => {
    const accepted = await accept({ payTo: nobody });
    const refusal = 'invalid_upto_avm_not_sponsored';
    expect(await h.facilitator.verify(accepted.payload, accepted.offer)).toMatchObject({ invalidReason: refusal });
    expect(await charge(accepted, '700')).toMatchObject({ errorReason: refusal });
    expect(await taken(accepted)).toEqual([]);
  });

  it('pays no fee for what is paid to an account of its own', async () => {
    const generous = await DevnodeHarness.start({ facilitator: { sponsorship: { ...twoSponsors, anyone: true } } });
    const { facilitator } = generous;
    const toUs = await accept({ payTo: generous.account('facilitator').address }, generous);
    const refusal = 'invalid_upto_avm_not_sponsored';
    expect(await facilitator.verify(toUs.payload, toUs.offer)).toMatchObject({ invalidReason: refusal });
    expect(await charge(toUs, '700', { facilitator })).toMatchObject({ errorReason: refusal });
    await generous.stop();
  });

  it('pays the fee by the maximum, whatever is charged, and never more than policy allows', async () => {
    const picky = await DevnodeHarness.start({ facilitator: { sponsorship: { ...twoSponsors, minAmount: 50_000n } } });
    const [enough, less] = [await accept({}, picky), await accept({ amount: '49999' }, picky)];
    const { facilitator } = picky;
    expect(await charge(enough, '1', { facilitator })).toMatchObject({ success: true, amount: '1' });
    const refused = { errorReason: 'invalid_upto_avm_not_sponsored' };
    expect(await charge(less, '49999', { facilitator })).toMatchObject(refused);
    await picky.stop();
    const thrifty = await DevnodeHarness.start({ facilitator: { sponsorship: { ...twoSponsors, maxFee: 1_999n } } });
    const accepted = await accept({}, thrifty);
    const answer = await charge(accepted, '1', { facilitator: thrifty.facilitator });
    expect(answer).toMatchObject({ errorReason: 'invalid_upto_avm_fee_too_high' });
    expect(await taken(accepted, thrifty)).toEqual([]);
    await thrifty.stop();
  });

  it('pays no fee above a budget', async () => {
    const sponsorship = { ...twoSponsors, payerBudget: 4_000n };
    const poor = await DevnodeHarness.start({ facilitator: { sponsorship } });
    const { facilitator } = poor;
    const [first, last, second] = [await accept({}, poor), await accept({}, poor), await accept({}, poor)];
    expect(await charge(first, '700', { facilitator })).toMatchObject({ success: true });
    expect(await charge(last, '700', { facilitator })).toMatchObject({ success: true });
    const refusal = 'invalid_upto_avm_sponsor_budget';
    expect(await facilitator.verify(second.payload, second.offer)).toMatchObject({ invalidReason: refusal });
    expect(await charge(second, '700', { facilitator })).toMatchObject({ errorReason: refusal });
    await poor.stop();
  });

  it('records who signed for a payer that is rekeyed', async () => {
    const { address } = h.account('payer2');
    const rekeying = { sender: address, receiver: address, amount: 0n, rekeyTo: h.account('payer').address };
    await h.send(h.account('payer2'), { ...(await h.header()), ...rekeying, type: 'pay' });
    const account = parseAccount(h.devnode.accounts.payer.privateKey, { address });
    const accepted = await accept({}, h, account);
    const answer = await charge(accepted, '700');
    expect(answer).toMatchObject({ success: true, payer: address });
    expect(await store.find(answer.transaction)).toMatchObject({ payer: address, signer: h.account('payer').address });
  });

  describe('on a congested network', () => {
    /** A facilitator on the same node and store, which is told of a fee of so many µAlgo a byte. */
    const at = (fee: bigint, policy: Partial<SponsorshipOptions> = {}): Facilitator =>
      createFacilitator({
        networks: [{ algods: [{ ...h.algod, params: async () => ({ ...(await h.algod.params()), fee }) }] }],
        sponsorship: { ...twoSponsors, ...policy },
        store,
      });

    it('pays what the network asks for, and no more than policy allows', async () => {
      const sponsor = h.account('usdcIssuer').address;
      const [busy, dear] = [at(4n), at(40n)];
      const before = h.devnode.balance(sponsor).microAlgos;
      const { payload, offer } = await accept();
      const refused = { isValid: false, invalidReason: 'invalid_upto_avm_fee_too_high' };
      expect(await dear.verify(payload, offer)).toMatchObject(refused);
      expect(await charge(await accept(), '700', { facilitator: busy })).toMatchObject({ success: true });
      const paid = before - h.devnode.balance(sponsor).microAlgos;
      expect([paid > 2_000n, paid <= 10_000n, paid % 2_000n]).toEqual([true, true, 0n]);
      await Promise.all([busy.close(), dear.close()]);
    });

    it('begins a charge for which a handler has worked at the most that policy allows, if the network asks for more', async () => {
      const sponsor = h.account('usdcIssuer').address;
      const dear = at(40n);
      const [accepted, before] = [await accept(), h.devnode.balance(sponsor).microAlgos];
      expect(await charge(accepted, '700', { facilitator: dear })).toMatchObject({ success: true });
      expect(before - h.devnode.balance(sponsor).microAlgos).toBe(10_000n);
      await dear.close();
    });

    it('tells the outcome again to the same key, whatever the network asks for meanwhile', async () => {
      const accepted = await accept();
      const busy = at(4n);
      const first = await charge(accepted, '700', { facilitator: busy });
      expect(first).toMatchObject({ success: true });
      expect(await charge(accepted, '700')).toEqual(first);
      expect(await taken(accepted)).toHaveLength(1);
      await busy.close();
    });

    it.each([
      ['what a charge may cost', 40n, 100_000n],
      ['what the sponsor pays when it is asked again', 20n, 20_000n],
    ])('tells the outcome again of a charge that began at a fee above %s', async (_what, fee, maxFee) => {
      const accepted = await accept();
      const dear = at(fee, { maxFee });
      const first = await charge(accepted, '700', { facilitator: dear });
      expect(first).toMatchObject({ success: true });
      expect(await charge(accepted, '700')).toEqual(first);
      expect(await taken(accepted)).toHaveLength(1);
      await dear.close();
    });
  });

  it('tells the outcome again after its fee payer was put in the place of the closer, which begins no charge', async () => {
    const [accepted, late] = [await accept(), await accept()];
    const first = await charge(accepted, '700');
    expect(first).toMatchObject({ success: true });
    const [account, closer] = [h.account('usdcIssuer'), h.account('facilitator')];
    const facilitator = createFacilitator({
      networks: [{ algods: [h.algod] }],
      sponsorship: { ...twoSponsors, account, moreAccounts: [closer] },
      store,
    });
    expect(await charge(accepted, '700', { facilitator })).toEqual(first);
    expect(await charge(late, '700', { facilitator })).toMatchObject({ errorReason: 'invalid_upto_avm_authorization' });
    await facilitator.close();
  });

  it('asks for three rounds left at verify, and for one at settle: its handler took the others', async () => {
    const accepted = await accept();
    const { lastValid } = accepted.payload.payload['authorization'] as { readonly lastValid: string };
    const mineUntil = async (left: bigint): Promise<void> => {
      const { lastRound } = await h.algod.status();
      await h.devnode.mine(Number(BigInt(lastValid) - left - lastRound));
    };
    const verdict = async () => h.facilitator.verify(accepted.payload, accepted.offer);
    await mineUntil(3n);
    expect(await verdict()).toMatchObject({ isValid: true });
    await mineUntil(2n);
    expect(await verdict()).toMatchObject({ invalidReason: 'invalid_upto_avm_expired' });
    await mineUntil(1n);
    expect(await charge(accepted, '700')).toMatchObject({ success: true });
    const late = await accept();
    await h.devnode.mine(1_000);
    expect(await charge(late, '700')).toMatchObject({ success: false, errorReason: 'invalid_upto_avm_expired' });
  });

  it('registers as a scheme of a stock facilitator, with the store in the path', async () => {
    const { facilitator } = h;
    const stock = new x402Facilitator().register([...facilitator.networks], facilitator.upto);
    const { payload, offer } = await accept();
    expect(await stock.verify(payload, offer)).toMatchObject({ isValid: true });
    const answer = await stock.settle(payload, { ...offer, amount: '5' });
    expect(answer).toMatchObject({ success: true, amount: '5' });
    expect(await store.find(answer.transaction)).toMatchObject({ state: 'confirmed' });
  });
});

describe('a charge whose facilitator is killed', () => {
  const deaths: readonly [string, Death][] = [
    ['before its row says that it is sent', { step: 1, of: 'change', effect: 'before' }],
    ['after that, before it is sent', { step: 1, of: 'sendRawTransaction', effect: 'before' }],
    ['after it was sent', { step: 1, of: 'sendRawTransaction', effect: 'after' }],
    ['before its confirmation is written', { step: 2, of: 'change', effect: 'before' }],
  ];
  it.each(deaths)('%s is settled once, and told to its key', async (_, death) => {
    const accepted = await accept();
    const replica = new MortalReplica({
      node: { client: () => h.algod },
      store,
      sponsorship: twoSponsors,
      leaseMs: 90,
    });
    const { facilitator } = replica;
    await facilitator.start();
    replica.dieAfter(death);
    expect(await Promise.race([replica.died, charge(accepted, '700', { facilitator })])).toBe('died');
    const answer = await charge(accepted, '700');
    expect(answer).toMatchObject({ success: true, amount: '700' });
    expect(await taken(accepted)).toEqual([{ txId: answer.transaction, amount: 700n }]);
    expect(await charge(accepted, '701')).toMatchObject({ errorReason: 'invalid_upto_avm_settled' });
  });
});
