import { TESTNET } from '@avm402/algorand/networks';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { expect, it } from 'vitest';
import { accounts } from '../../client/test/chain.ts';
import { asking, merchant } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { run } from './run.ts';

const stage = useStage();

type Offer = Partial<PaymentRequirements>;

const byChannel: Offer = { scheme: 'batch-settlement' };
const unknown: Offer = { scheme: 'deferred' };
const elsewhere: Offer = { network: 'eip155:8453', asset: '0x1', payTo: '0x2' };
const anotherNetwork: Offer = { network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' };
const dear: Offer = { amount: '1000001' };
const slow: Offer = { maxTimeoutSeconds: 3_601 };
const strange: Offer = { extra: { paymentFlow: 'later' } };
const broken: Offer = { asset: 'USDC' };

/** What doctor says of a seller with these offers, and whether quote would pay one. */
async function judged(offers: readonly Offer[], limits: readonly string[] = []) {
  const seller = await stage.sellerThat(() => asking(offers));
  await stage.chain.deal(merchant, TESTNET.usdcAssetId, 1n);
  const environment = {
    AVM_PRIVATE_KEY: accounts.payer.privateKey,
    ALGOD_URL: stage.chain.url,
    ALGOD_TOKEN: stage.chain.token,
  };
  const doctor = await run(['doctor', seller.url], { environment });
  const quote = await run(['quote', seller.url, ...limits], { environment });
  expect(seller.payments()).toEqual([]);
  return { doctor: doctor.code, quote: quote.code, said: doctor.stdout };
}

it.each<[string, number, readonly Offer[]]>([
  ['by exact alone', 0, [{}]],
  ['by channels beside exact, as /forecast of our example', 0, [{}, byChannel]],
  ['by an unknown scheme beside exact', 0, [unknown, {}]],
  ['on another chain beside Algorand', 0, [elsewhere, {}]],
  ['on another chain alone', 1, [elsewhere]],
  ['on a network without a node, beside one that has one', 0, [anotherNetwork, {}]],
  ['on a network without a node alone', 1, [anotherNetwork]],
  ['for longer than a payment may live', 1, [slow]],
  ['for longer than a payment may live, beside a good one', 0, [slow, {}]],
  ['in a flow that nobody knows', 1, [strange]],
  ['with an asset that is none, beside a good one', 0, [broken, {}]],
  ['with nothing that could be paid', 1, [broken, elsewhere, unknown]],
])('says of offers %s what quote says: exit code %d', async (_, code, offers) => {
  const { doctor, quote, said } = await judged(offers);
  expect({ doctor, quote, said }).toEqual({ doctor: code, quote: code, said });
});

it.each<[string, readonly Offer[], readonly string[], RegExp]>([
  ['the price is above the default limit', [dear], ['--max', '$2'], /WARNING +limits .*above the limit/],
  ['the asset is not USDC', [{ asset: '10458942' }], [], /PROBLEM +asset .*asset 10458942 does not exist/],
])('says what to change where %s', async (_, offers, limits, words) => {
  const { said } = await judged(offers, limits);
  expect(said).toMatch(words);
});

it('says of channels alone that they need --channel, and examines them all the same', async () => {
  const { doctor, said } = await judged([byChannel]);
  expect(said).toMatch(/WARNING +offers +can only be paid through a channel\n +→ .*--channel/);
  expect(said).toMatch(/^ok +payTo /m);
  expect(doctor).toBe(0);
});

it('examines the offer that would be paid, not the one that stands first', async () => {
  const { doctor, said } = await judged([{ payTo: accounts.dispenser.address, amount: '20000' }, {}]);
  expect(said).toMatch(/^ok +payTo /m);
  expect(doctor).toBe(0);
});
