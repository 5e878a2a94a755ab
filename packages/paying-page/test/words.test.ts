import { describe, expect, it } from 'vitest';
import { LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork } from '@avm402/core/network';
import { depositOf, type Order, type PageOffer } from '../src/page/order.ts';
import { choiceWords, paidWords, payWords, termsWords } from '../src/page/words.ts';

const network = { name: 'LocalNet', algod: { url: 'http://127.0.0.1:4001' }, hasDevelopmentAccounts: true };

function order(scheme: string, amount: string, extra: Record<string, unknown> = {}): Order {
  const on = { network: algorandNetwork(LOCALNET.genesisHash), asset: '10458941', payTo: 'M' };
  const offer: PageOffer = {
    requirements: { ...on, scheme, amount, extra },
    network: 'LocalNet',
    amount: `$${Number(amount) / 1e6}`,
    currency: 'USDC',
  };
  return { offer, network };
}

const byChannel = (amount: string, extra?: Record<string, unknown>): Order => order('batch-settlement', amount, extra);

describe('the till says what leaves', () => {
  it.each([
    // A hundred requests, a dollar at most.
    ['800', {}, '$0.08'],
    ['10000', {}, '$1'],
    ['50000', {}, '$1'],
    // One request at least.
    ['3000000', {}, '$3'],
    // What the seller asks for at least.
    ['10000', { minDeposit: '5000000' }, '$5'],
    ['10000', { minDeposit: '5' }, '$1'],
    ['800', { minDeposit: '90000' }, '$0.09'],
    ['10000', { minDeposit: 'much' }, '$1'],
    ['10000', { minDeposit: 5_000_000 }, '$1'],
  ])('a request of %s with %j needs a deposit of %s', (amount, extra, deposit) => {
    const one = byChannel(amount, extra);
    expect(depositOf(one.offer)).toBe(deposit);
    expect(payWords(one)).toBe(`Deposit ${deposit} USDC`);
    expect(choiceWords(one)).toContain(`a deposit of ${deposit} USDC`);
  });

  it('once, for a payment: its price', () => {
    const one = order('exact', '10000');
    expect([payWords(one), choiceWords(one), termsWords(one)]).toEqual([
      'Pay $0.01 USDC',
      'Pay $0.01 USDC on LocalNet once',
      undefined,
    ]);
  });

  it('for a channel what a request costs of the deposit, and what becomes of the rest', () => {
    expect(termsWords(byChannel('10000'))).toBe(
      'This request costs up to $0.01 USDC of the deposit; later ones need no signature. What you don’t spend comes back when the channel is closed. If a channel is open already, it pays, and nothing is deposited.',
    );
  });
});

it.each([
  ['300', 'Paid $0.0003 USDC through your channel.'],
  [undefined, 'Paid up to $0.01 USDC through your channel.'],
  ['a lot', 'Paid up to $0.01 USDC through your channel.'],
])('a channel that was charged %s says so in dollars', (charged, said) => {
  expect(paidWords(byChannel('10000'), undefined, charged)).toContain(said);
});
