import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogueEntry, CatalogueQuery, SettlementStore } from '../../src/index.ts';

const BOUNDS = { ofSeller: 3, unlisted: 4 };

const offer = (changes: Partial<PaymentRequirements> = {}): PaymentRequirements => ({
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: '10458941',
  amount: '10000',
  payTo: 'SELLER',
  maxTimeoutSeconds: 60,
  extra: {},
  ...changes,
});

const entry = (path: string, changes: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  resource: `https://shop.example${path}`,
  payTo: 'SELLER',
  type: 'http',
  listed: true,
  updatedAt: 1_000,
  about: { description: 'A forecast of 100% SUN_shine', tags: ['Weather'] },
  accepts: [offer()],
  bazaar: { info: { input: { type: 'http', method: 'GET' } } },
  ...changes,
});

/** What every catalogue does. `create` makes a store with an empty one. */
export function describeCatalogue(name: string, create: () => Promise<SettlementStore>): void {
  describe(`${name} as a catalogue`, () => {
    let store: SettlementStore;
    beforeEach(async () => {
      store = await create();
      await store.open();
    });
    afterEach(() => store.close());

    const put = (one: CatalogueEntry, since = 0) => store.catalogue.put(one, { since, bounds: BOUNDS });
    const find = (query: Partial<CatalogueQuery> = {}) =>
      store.catalogue.find({ since: 0, limit: 100, offset: 0, ...query });
    const resources = async (query: Partial<CatalogueQuery> = {}): Promise<string[]> =>
      (await find(query)).entries.map(({ resource, payTo }) => `${new URL(resource).pathname} ${payTo}`);

    it('gives an entry as it was written, and keeps one of each resource and receiver', async () => {
      const first = entry('/weather');
      expect(await put(first)).toBeUndefined();
      expect(await find()).toEqual({ entries: [first], total: 1 });
      const later = entry('/weather', { updatedAt: 2_000, about: { description: 'Rain' } });
      expect(await put(later)).toBeUndefined();
      expect(await find()).toEqual({ entries: [later], total: 1 });
    });

    it('keeps the entries of two receivers for one resource apart', async () => {
      await put(entry('/weather'));
      await put(entry('/weather', { payTo: 'ANOTHER', about: { description: 'Mine' } }));
      expect(await resources()).toEqual(['/weather ANOTHER', '/weather SELLER']);
      expect(await resources({ payTo: 'SELLER', words: ['mine'] })).toEqual([]);
    });

    it('adds an offer of another scheme, network or asset, and replaces one of the same', async () => {
      await put(entry('/weather'));
      const upto = offer({ scheme: 'upto' });
      await put(entry('/weather', { accepts: [upto] }));
      const dearer = offer({ amount: '20000' });
      await put(entry('/weather', { accepts: [dearer] }));
      expect((await find()).entries[0]?.accepts).toEqual([dearer, upto]);
    });

    it('keeps eight offers of an entry, the latest', async () => {
      for (let asset = 1; asset <= 9; asset++) {
        await put(entry('/weather', { accepts: [offer({ asset: String(asset) })] }));
      }
      const assets = (await find()).entries[0]?.accepts.map((one) => one.asset);
      expect(assets).toEqual(['9', '8', '7', '6', '5', '4', '3', '2']);
    });

    it('finds by type, receiver, scheme and network, the last two of one offer, and by every word', async () => {
      await put(entry('/weather'));
      await put(entry('/tool', { type: 'mcp', payTo: 'TOOLSMITH', about: {} }));
      await put(entry('/both', { accepts: [offer({ scheme: 'upto' }), offer({ network: ALGORAND_MAINNET })] }));
      expect(await resources({ type: 'mcp' })).toEqual(['/tool TOOLSMITH']);
      expect(await resources({ payTo: 'TOOLSMITH' })).toEqual(['/tool TOOLSMITH']);
      expect(await resources({ scheme: 'upto' })).toEqual(['/both SELLER']);
      expect(await resources({ network: ALGORAND_MAINNET })).toEqual(['/both SELLER']);
      expect(await resources({ scheme: 'upto', network: ALGORAND_MAINNET })).toEqual([]);
      expect(await resources({ words: ['weather', 'forecast'] })).toEqual(['/both SELLER', '/weather SELLER']);
      expect(await resources({ words: ['weather', 'rain'] })).toEqual([]);
      expect(await resources({ words: ['shop.example/tool'] })).toEqual(['/tool TOOLSMITH']);
    });

    it('looks for words as they are: none of their characters is a pattern', async () => {
      await put(entry('/weather'));
      expect(await resources({ words: ['100% sun_shine'] })).toHaveLength(1);
      for (const word of ['1%t', 'sun-shine', 'sun.shine', '.*', "' or 1=1 --"]) {
        expect(await resources({ words: [word] })).toEqual([]);
      }
    });

    it('gives pages in an order that stays: listed sellers first, then by resource and receiver', async () => {
      await put(entry('/a', { payTo: 'UNKNOWN', listed: false }));
      for (const path of ['/z', '/Z', '/b']) await put(entry(path));
      const all = ['/Z SELLER', '/b SELLER', '/z SELLER', '/a UNKNOWN'];
      expect(await resources()).toEqual(all);
      expect(await resources({ limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
      expect(await find({ limit: 2, offset: 4 })).toEqual({ entries: [], total: 4 });
    });

    it('has so many entries of one seller and no more, but those that are there change', async () => {
      for (const path of ['/1', '/2', '/3']) expect(await put(entry(path))).toBeUndefined();
      expect(await put(entry('/4'))).toBe('seller_has_too_many');
      expect(await put(entry('/3', { updatedAt: 9 }))).toBeUndefined();
      expect((await find()).total).toBe(3);
    });

    it('has so many entries of unlisted sellers together, and room for listed ones', async () => {
      for (const payTo of ['A', 'B', 'C', 'D']) {
        expect(await put(entry('/x', { payTo, listed: false }))).toBeUndefined();
      }
      expect(await put(entry('/x', { payTo: 'E', listed: false }))).toBe('catalogue_full');
      expect(await put(entry('/x', { payTo: 'D', listed: false, updatedAt: 9 }))).toBeUndefined();
      expect(await put(entry('/x', { payTo: 'E', listed: true }))).toBeUndefined();
    });

    it('keeps to its bounds however many write at once', async () => {
      const puts = Array.from({ length: 12 }, (_, index) => put(entry(`/${index}`, { listed: false })));
      const refused = (await Promise.all(puts)).filter((refusal) => refusal !== undefined);
      expect(refused).toEqual(Array.from({ length: 9 }, () => 'seller_has_too_many'));
    });

    it('does not let an unlisted write change the entry of a listed seller', async () => {
      await put(entry('/weather'));
      expect(await put(entry('/weather', { listed: false, about: { description: 'x' } }))).toBe('not_the_seller');
      expect((await find()).entries).toEqual([entry('/weather')]);
    });

    it('does not show what is older than asked for, tells of it by origin, and forgets it at the next write', async () => {
      await put(entry('/old'));
      expect(await find({ since: 1_001 })).toEqual({ entries: [], total: 0 });
      expect(await store.catalogue.ofOrigin('https://shop.example')).toHaveLength(1);
      expect(await store.catalogue.ofOrigin('https://shop.exampl')).toEqual([]);
      await put(entry('/new', { updatedAt: 5_000 }), 1_001);
      expect((await store.catalogue.ofOrigin('https://shop.example')).map(({ resource }) => resource)).toEqual([
        'https://shop.example/new',
      ]);
    });
  });
}
