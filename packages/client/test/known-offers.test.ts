import { expect, it } from 'vitest';
import { encodePaymentRequiredHeader } from '@avm402/core/headers';
import { KnownOffers } from '../src/offers/known-offers.ts';
import { requirements } from './seller.ts';

const headerOf = (amount: number): string =>
  encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'http://elsewhere.example/' },
    accepts: [{ ...requirements, amount: amount.toString() }],
  });

it('the same header is read once, and any other header on its own', () => {
  const { decode } = new KnownOffers();
  expect(decode(headerOf(1))).toBe(decode(headerOf(1)));
  expect(decode(headerOf(2)).accepts[0]?.amount).toBe('2');
});

it('nobody who is shown an offer can change it for the next request', () => {
  const required = new KnownOffers().decode(headerOf(1));
  const [offer] = required.accepts;
  expect(() => Object.assign(offer ?? {}, { amount: '2' })).toThrow(TypeError);
  expect(() => Object.assign(offer?.extra ?? {}, { feePayer: 'another' })).toThrow(TypeError);
  expect(() => required.accepts.pop()).toThrow(TypeError);
});

it('a header that is no offer is refused each time', () => {
  const { decode } = new KnownOffers();
  for (let attempt = 0; attempt < 2; attempt++) expect(() => decode('e30=')).toThrow(/x402Version/);
});

it('only the latest offers are known', () => {
  const { decode } = new KnownOffers();
  const first = decode(headerOf(0));
  for (let amount = 1; amount <= 32; amount++) decode(headerOf(amount));
  expect(decode(headerOf(0))).not.toBe(first);
});
