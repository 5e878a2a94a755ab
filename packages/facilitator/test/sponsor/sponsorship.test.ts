import { accountFromSeed } from '@avm402/algorand/account';
import { MAINNET } from '@avm402/algorand/networks';
import type { SponsoredParties } from '@avm402/avm/sponsorship';
import { ALGORAND_MAINNET } from '@avm402/core/network';
import { expect, it } from 'vitest';
import { budgetsOf, sponsorAccounts, sponsorOn, type SponsorshipOptions } from '../../src/sponsor/sponsorship.ts';

const DAY_MS = 86_400_000;
const account = accountFromSeed(new Uint8Array(32).fill(1));
const parties = { terms: 'listed', payTo: 'SELLER', payer: 'PAYER', advance: false } as const;

/** What of each budget of a settlement on a public network is known: whose, and how many µAlgo a day. */
function budgets(change: Partial<SponsoredParties>, options: Partial<SponsorshipOptions> = {}, development = false) {
  const chain = { network: ALGORAND_MAINNET, genesisHash: '', development };
  const of = budgetsOf(chain, { account, ...options }, { parties: { ...parties, ...change }, now: DAY_MS + 5 });
  expect(of.every(({ since }) => since === 5)).toBe(true);
  return of.map(({ scope, microAlgos }) => [scope, microAlgos]);
}

it('on a public network payer and seller have a budget a day, and each a smaller one for advances', () => {
  const seller = { terms: 'listed', payTo: 'SELLER' };
  expect(budgets({})).toEqual([
    [{ payer: 'PAYER' }, 2_000_000n],
    [{ ...seller, advance: false }, 20_000_000n],
  ]);
  expect(budgets({ advance: true })).toEqual([
    [{ payer: 'PAYER' }, 2_000_000n],
    [{ ...seller, advance: true }, 5_000_000n],
    [{ payer: 'PAYER', advance: true }, 200_000n],
  ]);
});

it('everybody else has them together, for advances the smaller one of both', () => {
  const terms = 'anyone';
  expect(budgets({ terms })[1]).toEqual([{ terms, advance: false }, 1_000_000n]);
  expect(budgets({ terms, advance: true })[1]).toEqual([{ terms, advance: true }, 1_000_000n]);
  expect(budgets({ terms, advance: true }, { advanceBudget: 7n })[1]).toEqual([{ terms, advance: true }, 7n]);
});

it('a budget for all is there for payments, half of it for advances', () => {
  expect(budgets({}, { totalBudget: 9n })[0]).toEqual([{}, 9n]);
  const ofAdvances = budgets({ advance: true }, { totalBudget: 9n });
  expect(ofAdvances).toContainEqual([{}, 9n]);
  expect(ofAdvances).toContainEqual([{ advance: true }, 4n]);
});

it('on a development network only those that were named hold', () => {
  expect(budgets({}, {}, true)).toEqual([]);
  expect(budgets({ terms: 'anyone', advance: true }, { anyoneBudget: 3n }, true)).toEqual([
    [{ terms: 'anyone', advance: true }, 3n],
  ]);
});

it('sponsors USDC from a thousandth up, for 10,000 µAlgo at most; on a development network from one unit up', () => {
  const books = { left: async () => 0n, feePayer: () => '', uptoFeePayer: () => undefined, now: Date.now };
  const usdc = MAINNET.usdcAssetId;
  const chain = { network: ALGORAND_MAINNET, genesisHash: MAINNET.genesisHash, development: false };
  expect(sponsorOn(chain, { account, payTo: ['SELLER'] }, books)).toMatchObject({
    minAmount: 1_000n,
    maxFee: 10_000n,
    assets: new Set([String(usdc)]),
    anyone: false,
  });
  expect(sponsorOn(chain, { account }, books), 'there is nobody to pay for').toBeUndefined();
  const named = { account, payTo: ['SELLER'], assets: ['7', String(usdc)] };
  expect(() => sponsorOn(chain, named, books)).toThrow(/SPONSOR_MIN_AMOUNT/);
  expect(sponsorOn({ ...chain, development: true }, { account }, books)).toMatchObject({ minAmount: 1n, anyone: true });
});

const books = { left: async () => 0n, feePayer: () => 'FEES', uptoFeePayer: () => 'UPTO', now: () => DAY_MS + 5 };
const unknown = { network: ALGORAND_MAINNET, genesisHash: 'of nowhere', development: false };
const mainnet = { ...unknown, genesisHash: MAINNET.genesisHash };
const usdcId = String(MAINNET.usdcAssetId);

it.each<[string, Partial<SponsorshipOptions>, boolean, boolean]>([
  ['nobody is listed', {}, false, false],
  ['nobody is listed, on a development network', {}, true, true],
  ['nobody is listed and nobody else may come, on a development network', { anyone: false }, true, false],
  ['anyone may come', { anyone: true }, false, true],
  ['somebody is listed', { payTo: ['SELLER'] }, false, true],
  ['somebody is listed and nobody else may come', { payTo: ['SELLER'], anyone: false }, true, true],
])('there is a sponsor or not where %s', (_what, options, development, isThere) => {
  expect(sponsorOn({ ...mainnet, development }, { account, ...options }, books) !== undefined).toBe(isThere);
});

it.each<[string, Partial<SponsorshipOptions>, boolean, unknown]>([
  ['USDC alone', { assets: [usdcId] }, false, 1_000n],
  ['USDC alone, at another least amount', { assets: [usdcId], minAmount: 3n }, false, 3n],
  ['another asset, at a least amount', { assets: ['7'], minAmount: 3n }, false, 3n],
  ['another asset', { assets: ['7'] }, false, 'environment_invalid'],
  ['another asset, on a development network', { assets: ['7'] }, true, 1n],
])('sponsors %s', (_what, options, development, outcome) => {
  const least = (): unknown =>
    sponsorOn({ ...mainnet, development }, { account, payTo: ['SELLER'], ...options }, books)?.minAmount;
  if (typeof outcome === 'bigint') expect(least()).toBe(outcome);
  else expect(least).toThrow(expect.objectContaining({ code: outcome }));
});

it('sponsors sellers of a network without a known USDC in the assets that are named, and anyone in none', () => {
  expect(() => sponsorOn(unknown, { account, payTo: ['SELLER'] }, books)).toThrow(
    /SPONSOR_ASSETS: no USDC is known on/,
  );
  const named = sponsorOn(unknown, { account, payTo: ['SELLER'], assets: ['7'], minAmount: 1n }, books);
  expect(named?.assets).toEqual(new Set(['7']));
  expect(sponsorOn(unknown, { account, anyone: true }, books)?.assets).toEqual(new Set());
});

it('may spend what is left of the poorest budget, and on one payment no more than it may cost', async () => {
  const asked: unknown[] = [];
  const lefts: Record<string, bigint> = { payer: 9_000n, terms: 8_000n };
  const left = async ({ scope }: { readonly scope: object }, upTo: bigint): Promise<bigint> => {
    asked.push([scope, upTo]);
    return Object.keys(scope).reduce(
      (least, name) => ((lefts[name] ?? upTo) < least ? (lefts[name] ?? upTo) : least),
      upTo,
    );
  };
  const sponsor = sponsorOn(mainnet, { account, payTo: ['SELLER'], maxFee: 20_000n }, { ...books, left });
  expect(await sponsor?.budgetLeft(parties)).toBe(8_000n);
  expect(asked).toEqual([
    [{ payer: 'PAYER' }, 20_000n],
    [{ terms: 'listed', payTo: 'SELLER', advance: false }, 20_000n],
  ]);
  lefts['payer'] = 7_000n;
  expect(await sponsor?.budgetLeft(parties)).toBe(7_000n);
  lefts['payer'] = lefts['terms'] = 30_000n;
  expect(await sponsor?.budgetLeft(parties)).toBe(20_000n);
});

it('pays from each of its accounts once, and names those that its books name', () => {
  const [second, third] = [2, 3].map((seed) => accountFromSeed(new Uint8Array(32).fill(seed)));
  if (!second || !third) throw new Error('two accounts');
  const options = { account, moreAccounts: [second, account, third], payTo: ['SELLER'] };
  const all = [account, second, third].map(({ address }) => address);
  expect([...sponsorAccounts(options).keys()]).toEqual(all);
  const sponsor = sponsorOn(mainnet, options, books);
  expect([...(sponsor?.accounts.keys() ?? [])]).toEqual(all);
  expect([sponsor?.account, sponsor?.feePayer(), sponsor?.uptoFeePayer()]).toEqual([account, 'FEES', 'UPTO']);
  expect([...sponsorAccounts({ account }).keys()]).toEqual([account.address]);
});

it.each<[bigint | undefined, bigint | undefined, bigint | undefined]>([
  [3n, 4n, 3n],
  [4n, 3n, 3n],
  [3n, undefined, 3n],
  [undefined, 3n, 3n],
  [undefined, undefined, undefined],
])('advances to everybody else have the smaller budget of %s and %s', (advanceBudget, anyoneBudget, smaller) => {
  const named = { ...(advanceBudget && { advanceBudget }), ...(anyoneBudget && { anyoneBudget }) };
  const scope = { terms: 'anyone', advance: true };
  expect(budgets({ terms: 'anyone', advance: true }, named, true)).toEqual(smaller ? [[scope, smaller]] : []);
});
