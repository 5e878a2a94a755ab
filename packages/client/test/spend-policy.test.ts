import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { MAINNET, LOCALNET } from '@avm402/algorand/networks';
import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import { USDC_ASSETS, type SpendOptions } from '@avm402/client';
import { dollars } from '../src/budget/cost.ts';
import { SpendPolicy } from '../src/budget/spend-policy.ts';
import { accounts } from './chain.ts';
import { merchant, requirements } from './seller.ts';

const whyNot = (options: SpendOptions, change: object = {}): string | undefined =>
  new SpendPolicy(options).whyNotOffer({ ...requirements, ...change }, accounts.payer.address)?.reason;
const whyNotAt = (options: SpendOptions, url: string): string | undefined =>
  new SpendPolicy(options).whyNotOrigin(new URL(url))?.reason;

describe('by default', () => {
  it('at most $1 of USDC is paid', () => {
    expect(whyNot({}, { amount: '1000000' })).toBeUndefined();
    expect(whyNot({}, { amount: '1000001' })).toBe('$1.000001 is above the limit of $1 a payment');
  });

  it.each(USDC_ASSETS.map(({ network, asset }) => [network, asset]))('USDC on %s is asset %s', (network, asset) => {
    expect(whyNot({}, { network, asset })).toBeUndefined();
    expect(whyNot({}, { network, asset: `${asset}1` })).toContain('not among the allowed assets');
  });

  it.each([
    `algorand:${MAINNET.genesisHash}`,
    `algorand:${MAINNET.genesisHash.replaceAll('+', '-').replaceAll('/', '_')}`,
    ALGORAND_MAINNET,
    `algorand:${LOCALNET.genesisHash}`,
  ])('USDC is recognised in the spelling %s', (network) => {
    const { asset } = USDC_ASSETS[network.includes(LOCALNET.genesisHash) ? 2 : 0] ?? { asset: '' };
    expect(whyNot({}, { network, asset })).toBeUndefined();
  });

  it('https is paid, and HTTP on this machine', () => {
    for (const url of [
      'https://api.example.com',
      'http://localhost:1',
      'http://127.0.0.1:1',
      'http://127.9.9.9',
      'http://[::1]:1',
      'http://a.localhost',
    ]) {
      expect(whyNotAt({}, url)).toBeUndefined();
    }
    for (const url of [
      'http://api.example.com',
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://10.0.0.1',
      'http://1270.0.0.1.example',
    ]) {
      expect(whyNotAt({}, url)).toContain('not encrypted');
      expect(whyNotAt({ allowHttp: true }, url)).toBeUndefined();
    }
  });
});

describe('what is never paid', () => {
  it.each<[string, object, RegExp]>([
    ['another scheme', { scheme: 'upto' }, /scheme upto/],
    ['another chain', { network: 'eip155:8453' }, /not an Algorand network/],
    ['an unknown flow', { extra: { paymentFlow: 'escrow' } }, /flow escrow/],
    ['nothing', { amount: '0' }, /amount is zero/],
    ['a fraction', { amount: '0.01' }, /not an amount/],
    ['an exponent', { amount: '1e4' }, /not an amount/],
    ['a sign', { amount: '-1' }, /not an amount/],
    ['more than an asset can have', { amount: (2n ** 64n).toString() }, /not an amount/],
    ['nobody', { payTo: '0x0' }, /not an Algorand address/],
    ['the payer', { payTo: accounts.payer.address }, /receiver would be the payer/],
    ['a fee payer who pays', { extra: { feePayer: accounts.payer.address } }, /would be the payer/],
    ['a fee payer who receives', { extra: { feePayer: merchant } }, /would be the receiver/],
    ['a fee payer who is nobody', { extra: { feePayer: 7 } }, /not an Algorand address/],
    ['a payment that lives for a day', { maxTimeoutSeconds: 86_400 }, /86400 seconds, the limit is 3600/],
  ])('%s', (_what, change, reason) => expect(whyNot({}, change)).toMatch(reason));
});

describe('allow lists', () => {
  it('networks, in any spelling', () => {
    expect(whyNot({ networks: [ALGORAND_TESTNET] })).toBeUndefined();
    expect(whyNot({ networks: ['algorand:*'] })).toBeUndefined();
    expect(whyNot({ networks: [`algorand:${MAINNET.genesisHash}`] })).toContain('not among the allowed networks');
  });

  it('receivers', () => {
    expect(whyNot({ payTo: [merchant] })).toBeUndefined();
    expect(whyNot({ payTo: [accounts.payer2.address] })).toContain('not among the allowed receivers');
  });

  it('origins, exactly', () => {
    const origins = ['https://api.example.com'];
    expect(whyNotAt({ origins }, 'https://api.example.com/any/path?x=1')).toBeUndefined();
    for (const url of [
      'https://api.example.com.evil.example/',
      'https://api.example.com@evil.example/',
      'https://evil.example/https://api.example.com/',
      'https://api.examp1e.com/',
      'https://аpi.example.com/',
      'https://api.example.com:8443/',
      'https://example.com/',
      'http://api.example.com/',
    ]) {
      expect(whyNotAt({ origins }, url)).toContain('not among the allowed origins');
    }
  });

  it('assets replace USDC; dollars of one with other decimals are dollars', () => {
    const assets = [{ network: ALGORAND_TESTNET, asset: '7', decimals: 2 }];
    expect(whyNot({ assets }, { asset: '7', amount: '100' })).toBeUndefined();
    expect(whyNot({ assets }, { asset: '7', amount: '101' })).toBe('$1.01 is above the limit of $1 a payment');
    expect(whyNot({ assets })).toContain('not among the allowed assets');
    expect(whyNot({ assets: [...USDC_ASSETS, ...assets] })).toBeUndefined();
  });

  it('assets without a dollar price have limits of their own, in atomic units', () => {
    const assets = [{ network: 'algorand:*', asset: '7', limits: { perPayment: 5n } }].map((one) => ({
      ...one,
      network: ALGORAND_TESTNET,
    }));
    expect(whyNot({ assets }, { asset: '7', amount: '5' })).toBeUndefined();
    expect(whyNot({ assets }, { asset: '7', amount: '6' })).toMatch(
      /^6 atomic units of .*\/7 is above the limit of 5 atomic units/,
    );
  });
});

describe('options that make no sense are refused', () => {
  it.each<[string, SpendOptions, string]>([
    ['no price', { perPayment: 'a dollar' }, 'invalid_price'],
    ['a price of zero', { perHour: '$0' }, 'price_not_positive'],
    ['a price of less than a millionth', { perDay: '$0.0000001' }, 'price_too_precise'],
    ['no origin', { origins: ['api.example.com'] }, 'invalid_spend_options'],
    ['an origin with a path', { origins: ['https://api.example.com/pay'] }, 'invalid_spend_options'],
    ['no network', { networks: ['testnet'] }, 'invalid_network'],
    ['no address', { payTo: ['me'] }, 'invalid_address'],
    ['an asset of unknown decimals', { assets: [{ network: ALGORAND_TESTNET, asset: '7' }] }, 'invalid_spend_options'],
    [
      'decimals that do not exist',
      { assets: [{ network: ALGORAND_TESTNET, asset: '7', decimals: 20 }] },
      'invalid_spend_options',
    ],
  ])('%s', (_what, options, code) => {
    expect(() => new SpendPolicy(options)).toThrow(expect.objectContaining({ code }));
  });
});

it('an amount in dollars is never rounded down, and never by a millionth or more', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.integer({ min: 0, max: 19 }), (atomic, decimals) => {
      const { amount } = dollars(atomic, decimals);
      const exact = atomic * 10n ** 13n * 10n ** BigInt(19 - decimals);
      const counted = amount * 10n ** 26n;
      expect(counted >= exact && counted - exact < 10n ** 26n).toBe(true);
    }),
  );
});
