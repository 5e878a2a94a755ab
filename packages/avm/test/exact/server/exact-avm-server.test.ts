import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCALNET, MAINNET, TESTNET } from '@avm402/algorand/networks';
import { ALGORAND_MAINNET, ALGORAND_TESTNET, algorandNetwork, algorandNetworkLong } from '@avm402/core/network';
import { formatMoney, parseAtomicAmount } from '@avm402/core/price';
import { x402ResourceServer } from '@x402/core/server';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentRequirements, SchemeNetworkServer } from '@x402/core/types';
import { ExactAvmScheme as StockScheme } from '@x402/avm/exact/server';
import { ExactAvmServer, parsePayTo } from '../../../src/exact/server/index.ts';

const SECRET = Buffer.alloc(64, 'no key').toString('base64');
const MERCHANT = '7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q';
const SPONSOR = 'RKEOHXLUBHYZL7KS3MWTZOS5OLFGOCN7DWKBEG7TOSEADNAPN5OOTUNSLE';
const scheme = new ExactAvmServer();
const network = ALGORAND_TESTNET;

describe('a price', () => {
  it.each([
    ['$0.01', '10000'],
    ['0.01', '10000'],
    [' $1 ', '1000000'],
    ['0.000001', '1'],
    ['0.10 USD', '100000'],
    ['0.10 usdc', '100000'],
    [0.1, '100000'],
    [3, '3000000'],
  ])('%j is %s atomic units of USDC', (price, amount) => {
    expect(scheme.quote({ price, network })).toEqual({ asset: '10458941', amount });
  });

  it.each([
    ['$0.0000001', 'price_too_precise'],
    [0.1 + 0.2, 'price_too_precise'],
    ['0', 'price_not_positive'],
    [0, 'price_not_positive'],
    ['', 'invalid_price'],
    ['1e-3', 'invalid_price'],
    [1e-7, 'invalid_price'],
    [Number.NaN, 'invalid_price'],
    [Number.POSITIVE_INFINITY, 'invalid_price'],
    ['€1', 'invalid_price'],
    ['1 EURC', 'invalid_price'],
    ['99999999999999999999', 'invalid_amount'],
  ])('%j is refused: %s', (price, code) => {
    expect(() => scheme.quote({ price, network })).toThrow(expect.objectContaining({ code }));
  });

  it('is the same atomic amount that it stands for, for any asset', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.integer({ min: 0, max: 19 }), (atomic, decimals) => {
        const quote = { price: formatMoney(atomic, decimals), network, extra: { asset: '5', decimals } };
        expect(parseAtomicAmount(scheme.quote(quote).amount)).toBe(atomic);
      }),
    );
  });

  it('agrees with the stock scheme wherever that does not truncate', async () => {
    const stock = new StockScheme();
    for (const price of ['$0.01', '0.10', '1.5 USDC', '2 USD', 0.25]) {
      const { asset, amount } = await stock.parsePrice(price, network);
      expect(await scheme.parsePrice(price, network)).toEqual({ asset, amount });
    }
  });

  it('is in the USDC of its network, in whatever spelling', () => {
    const asset = (id: string) => scheme.quote({ price: '$1', network: id }).asset;
    expect([ALGORAND_MAINNET, algorandNetworkLong(MAINNET.genesisHash)].map(asset)).toEqual(['31566704', '31566704']);
    expect([algorandNetworkLong(TESTNET.genesisHash), algorandNetwork(LOCALNET.genesisHash)].map(asset)).toEqual([
      '10458941',
      '10458941',
    ]);
  });

  it('in atomic units is taken as it is, if it is one', () => {
    expect(scheme.quote({ price: { asset: '123', amount: '5' }, network })).toEqual({ asset: '123', amount: '5' });
    for (const [price, code] of [
      [{ asset: '123', amount: '0' }, 'price_not_positive'],
      [{ asset: '123', amount: '1.5' }, 'invalid_amount'],
      [{ asset: '0', amount: '1' }, 'unsupported_asset'],
      [{ asset: '18446744073709551616', amount: '1' }, 'unsupported_asset'],
      [{ asset: 'ALGO', amount: '1' }, 'unsupported_asset'],
    ] as const) {
      expect(() => scheme.quote({ price, network })).toThrow(expect.objectContaining({ code }));
    }
  });
});

describe('the asset of a price', () => {
  it('is the one that extra.asset selects, in its own decimals', () => {
    const extra = { asset: '123', decimals: 2 };
    expect(scheme.quote({ price: '$0.5', network, extra })).toEqual({ asset: '123', amount: '50' });
    expect(() => scheme.quote({ price: '$0.005', network, extra })).toThrow(
      expect.objectContaining({ code: 'price_too_precise' }),
    );
  });

  it('without known decimals is refused by name', () => {
    expect(() => scheme.quote({ price: '$1', network, extra: { asset: '123' } })).toThrow(/asset 123/);
    expect(() => scheme.quote({ price: '$1', network: algorandNetwork('A'.repeat(43) + '=') })).toThrow(
      /no USDC is known/,
    );
    for (const decimals of [-1, 20, 1.5, '6']) {
      expect(() => scheme.quote({ price: '$1', network, extra: { asset: '123', decimals } })).toThrow(
        expect.objectContaining({ code: 'asset_decimals_unknown' }),
      );
    }
  });

  it('may be known from the options of the scheme', () => {
    const own = new ExactAvmServer({
      assets: [{ network: algorandNetworkLong(TESTNET.genesisHash), asset: '123', decimals: 3 }],
    });
    expect(own.quote({ price: '$1', network, extra: { asset: '123' } }).amount).toBe('1000');
    expect(own.getAssetDecimals('123', network)).toBe(3);
    expect(own.getAssetDecimals('10458941', network)).toBe(6);
    expect(own.getAssetDecimals('124', network)).toBeUndefined();
    expect(() => new ExactAvmServer({ assets: [{ network, asset: '123', decimals: 99 }] })).toThrow(/decimals/);
  });

  it('can’t be two', () => {
    const price = { asset: '123', amount: '5' };
    expect(() => scheme.quote({ price, network, extra: { asset: '124' } })).toThrow(
      expect.objectContaining({ code: 'unsupported_asset' }),
    );
  });

  it('is none on another chain', () => {
    expect(() => scheme.quote({ price: '$1', network: 'eip155:1' })).toThrow(
      expect.objectContaining({ code: 'unsupported_network' }),
    );
  });
});

describe('an offer', () => {
  const kind = { x402Version: 2, scheme: 'exact', network, extra: { feePayer: SPONSOR, storeId: 'x' } };
  const base: PaymentRequirements = {
    scheme: 'exact',
    network,
    asset: '10458941',
    amount: '10000',
    payTo: MERCHANT,
    maxTimeoutSeconds: 300,
    extra: {},
  };

  it('names the fee payer that the facilitator names, and nothing else of it', async () => {
    const completed = await scheme.enhancePaymentRequirements(base, kind, []);
    expect(completed).toEqual({ ...base, extra: { feePayer: SPONSOR } });
    expect(base.extra).toEqual({});
    expect(await scheme.enhancePaymentRequirements(base, { ...kind, extra: {} }, [])).toEqual(base);
  });

  it('is in the asset that extra.asset selects, converted exactly', async () => {
    const extra = { asset: '123', decimals: 8 };
    const completed = await scheme.enhancePaymentRequirements({ ...base, extra }, kind, []);
    expect(completed).toMatchObject({ asset: '123', amount: '1000000', extra: { decimals: 8 } });
    expect(completed.extra).not.toHaveProperty('asset');
    const coarse = { ...base, extra: { asset: '123', decimals: 1 } };
    await expect(scheme.enhancePaymentRequirements(coarse, kind, [])).rejects.toMatchObject({
      code: 'price_too_precise',
    });
  });

  it.each([
    ['no address', 'nonsense'],
    ['a mistyped address', MERCHANT.replace('7ZU', '7ZV')],
    ['the zero address', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ'],
    ['the fee payer', SPONSOR],
    ['a secret', SECRET],
  ])('is not made for %s', async (_what, payTo) => {
    await expect(scheme.enhancePaymentRequirements({ ...base, payTo }, kind, [])).rejects.toMatchObject({
      code: 'invalid_pay_to',
    });
    expect(() => parsePayTo(payTo, SPONSOR)).toThrow(
      expect.objectContaining({ code: 'invalid_pay_to', message: expect.not.stringContaining(SECRET.slice(0, 16)) }),
    );
  });

  it('is made in a stock resource server, too', async () => {
    const facilitator: FacilitatorClient = {
      getSupported: async () => ({ kinds: [kind], extensions: [], signers: {} }),
      verify: () => Promise.reject(new Error('not asked')),
      settle: () => Promise.reject(new Error('not asked')),
    };
    const server = new x402ResourceServer(facilitator).register('algorand:*', scheme);
    await server.initialize();
    const option = { scheme: 'exact', network, price: '$0.01', payTo: MERCHANT };
    expect(await server.buildPaymentRequirements(option)).toEqual([{ ...base, extra: { feePayer: SPONSOR } }]);
    const other = { ...option, extra: { asset: '123', decimals: 2 } };
    expect(await server.buildPaymentRequirements(other)).toMatchObject([{ asset: '123', amount: '1' }]);
  });

  it('comes from a scheme that stock accepts as one', () => {
    const asStock: SchemeNetworkServer = scheme;
    expect([asStock.scheme, Object.keys(asStock.paymentFlows)]).toEqual(['exact', ['default']]);
  });
});
