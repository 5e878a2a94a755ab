import { accountFromSeed } from '@avm402/algorand/account';
import { MAINNET } from '@avm402/algorand/networks';
import type { SponsoredParties } from '@avm402/avm/exact/facilitator';
import { ALGORAND_MAINNET } from '@avm402/core/network';
import { expect, it } from 'vitest';
import { budgetsOf, sponsorOn, type SponsorshipOptions } from '../../src/sponsor/sponsorship.ts';

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
