import { AlgorandError } from '@avm402/algorand/errors';
import { describe, expect, it } from 'vitest';
import { verifyDeposit } from '../../../src/batch-settlement/facilitator/deposit-verdict.ts';
import { payer, seller } from '../channel-fixture.ts';
import { config, sponsor } from '../channel-stage.ts';
import { claimAuthorizer, codeOf, depositRequest, messageOf, told, type Told } from './told-network.ts';

type Kind = 'open' | 'top-up';
const deposit = async (facts: Told, kind: Kind = 'open') =>
  codeOf(() => verifyDeposit(depositRequest(told(facts), kind)));
const message = async (facts: Told, kind: Kind = 'open') =>
  messageOf(() => verifyDeposit(depositRequest(told(facts), kind)));

describe('a deposit that is verified', () => {
  it.each([
    ['open', 4000n, [0, 1]],
    ['top-up', 2000n, [0]],
  ] as const)('is signed by the facilitator where it pays or lends, as an advance (%s)', async (kind, fee, ours) => {
    const group = await verifyDeposit(depositRequest(told(), kind));
    expect([...group.ours.keys()]).toEqual(ours);
    const parties = { terms: 'listed', payTo: seller.address, payer: payer.address, advance: true };
    expect([group.fee, group.parties, group.round]).toEqual([fee, parties, 100n]);
  });

  it.each<[string, Told, unknown]>([
    ['the seller and the asset are listed', {}, 'listed'],
    ['both are listed and anyone may come', { sponsor: { anyone: true } }, 'listed'],
    ['only the asset is, and anyone may come', { sponsor: { payTo: new Set(), anyone: true } }, 'anyone'],
    ['only the seller is, and anyone may come', { sponsor: { assets: new Set(), anyone: true } }, 'anyone'],
    [
      'anyone may come with this asset',
      { sponsor: { payTo: new Set(), anyone: true }, policy: { assets: new Set([String(config.token)]) } },
      'anyone',
    ],
  ])('is lent for as the policy says where %s', async (_what, facts, terms) => {
    expect((await verifyDeposit(depositRequest(told(facts)))).parties.terms).toBe(terms);
  });

  it.each<[string, Told]>([
    ['the seller is not listed', { sponsor: { payTo: new Set() } }],
    ['the asset is not listed', { sponsor: { assets: new Set() } }],
    [
      'anyone may come, with another asset',
      { sponsor: { anyone: true, assets: new Set() }, policy: { assets: new Set() } },
    ],
  ])('is not lent for where %s', async (_what, facts) => {
    for (const kind of ['open', 'top-up'] as const) expect(await deposit(facts, kind)).toBe('sponsorship');
    expect(await message(facts)).toContain(`channels to ${seller.address} in asset ${config.token} are not opened`);
  });

  it('is as large as the policy asks for where it opens a channel, and not where it adds to one', async () => {
    const least = async (minDeposit: bigint, kind?: Kind) => deposit({ policy: { minDeposit } }, kind);
    expect([await least(1_000_000n), await least(1_000_001n)]).toEqual(['ok', 'sponsorship']);
    expect(await least(1_000_001n, 'top-up')).toBe('ok');
  });

  it('opens a channel with a claim key that the receiver has; the key is not asked for again', async () => {
    const only = (key: string) => ({
      network: { claimKeysOf: (to: string) => (to === seller.address ? new Set([key]) : undefined) },
    });
    expect([await deposit(only(claimAuthorizer)), await deposit(only(payer.address))]).toEqual(['ok', 'sponsorship']);
    expect(await deposit(only(payer.address), 'top-up')).toBe('ok');
  });
});

describe('the rounds of a deposit, exactly', () => {
  it.each<[string, Told, unknown, unknown]>([
    ['the round before its window begins', { round: 9n }, 'ok', 'ok'],
    ['two rounds before its window begins', { round: 8n }, 'not_yet_valid', 'not_yet_valid'],
    ['the round before its window ends', { round: 1009n }, 'ok', 'ok'],
    ['the last round of its window', { round: 1010n }, 'expired', 'expired'],
    ['that round, as another node says', { round: 100n, known: 1010n }, 'expired', 'expired'],
    ['that round, as the node says that is asked', { round: 1010n, known: 100n }, 'expired', 'expired'],
    ['that round when the group is tried', { round: 100n, tried: 1010n }, 'expired', 'expired'],
    ['as late after its beginning as may be', { round: 30n, policy: { maxAge: 20n } }, 'ok', 'ok'],
    ['a round later than that', { round: 31n, policy: { maxAge: 20n } }, 'deposit_group', 'deposit_group'],
    ['as many rounds before the expiry as it needs', { round: 800n, policy: { minRounds: 4200n } }, 'ok', 'ok'],
    ['a round fewer', { round: 801n, policy: { minRounds: 4200n } }, 'channel_expiring', 'ok'],
    ['as many rounds before the expiry as may be', { round: 800n, policy: { maxRounds: 4200n } }, 'ok', 'ok'],
    ['a round more', { round: 799n, policy: { maxRounds: 4200n } }, 'sponsorship', 'sponsorship'],
  ])('in %s', async (_what, facts, opening, toppingUp) => {
    expect([await deposit(facts), await deposit(facts, 'top-up')]).toEqual([opening, toppingUp]);
  });

  it.each([
    [499n, 'ok'],
    [500n, 'channel_expiring'],
    [501n, 'channel_expiring'],
  ])('a top-up in round %s of a channel that expires in round 500', async (round, code) => {
    const request = depositRequest(told({ round, policy: { minRounds: 0n } }), 'top-up', { ...config, expiry: 500n });
    expect(await codeOf(() => verifyDeposit(request))).toBe(code);
  });

  it('are named in the refusal', async () => {
    expect(await message({ round: 31n, policy: { maxAge: 20n } })).toContain('began 21 rounds ago, 20 are the most');
    expect(await message({ policy: { maxRounds: 1n } })).toContain('expires in 4900 rounds; at most 1 are lent');
    expect(await message({ policy: { minRounds: 4901n } })).toContain('expires in 4900 rounds; it needs 4901');
    expect(await message({ round: 8n })).toContain('rounds 10 to 1010, the chain is at 8');
  });
});

describe('a deposit is refused', () => {
  it.each<[string, Kind, Told, string]>([
    ['whose channel was opened before', 'open', { network: { isUsed: async () => true } }, 'channel_used'],
    ['for which no place is left', 'open', { network: { hasPlaceFor: async () => false } }, 'sponsorship'],
    [
      'into a channel that is not on record',
      'top-up',
      { network: { known: async () => undefined } },
      'channel_not_found',
    ],
    [
      'into a channel with another claim key',
      'top-up',
      { network: { known: async () => ({ claimAuthorizer: sponsor, isOpen: true, openedIn: 1n }) } },
      'channel_not_found',
    ],
    [
      'into a channel that has ended',
      'top-up',
      { network: { known: async () => ({ claimAuthorizer, isOpen: false, openedIn: 1n }) } },
      'channel_closed',
    ],
    ['whose fee is above what is paid for one', 'open', { sponsor: { maxFee: 3999n } }, 'fee_too_high'],
    ['whose fee is above what the network asks for', 'open', { fees: { minFee: 833n } }, 'fee_too_high'],
    [
      'whose fee is above the rest of the budget',
      'open',
      { sponsor: { budgetLeft: async () => 3999n } },
      'sponsor_budget',
    ],
    ['that the chain refuses', 'open', { failures: ['asset 5 frozen in here'] }, 'asset_frozen'],
    ['whose lender is poor', 'open', { failures: [`overspend (account ${sponsor}, data)`] }, 'sponsor_unfunded'],
    [
      'whose payer is poor',
      'open',
      { failures: [`overspend (account ${payer.address}, data)`] },
      'insufficient_balance',
    ],
  ])('%s', async (_what, kind, facts, code) => {
    expect(await deposit(facts, kind)).toBe(code);
    expect(await deposit({}, kind)).toBe('ok');
  });

  it('that opens a channel whose account holds a single µAlgo, and so may have been one', async () => {
    const account = { address: '', minBalance: 0n, round: 1n };
    const holding = async (amount: bigint) => deposit({ algod: { account: async () => ({ ...account, amount }) } });
    expect([await holding(0n), await holding(1n)]).toEqual(['ok', 'channel_used']);
  });

  it('by no verdict where a node does not answer', async () => {
    const fails = () => Promise.reject(new AlgorandError('algod_timeout', 'no answer'));
    for (const algod of [{ params: fails }, { account: fails }, { simulate: fails }]) {
      expect(await deposit({ algod })).toBe('algod_unreachable');
    }
  });

  it('at the edge of what the network asks for and what one may cost it is not', async () => {
    expect(await deposit({ sponsor: { maxFee: 4000n }, fees: { minFee: 834n } })).toBe('ok');
  });

  it('asks for a place for its payer and its receiver', async () => {
    const asked: unknown[] = [];
    const hasPlaceFor = async (parties: unknown): Promise<boolean> => {
      asked.push(parties);
      return true;
    };
    await deposit({ network: { hasPlaceFor } });
    expect(asked).toEqual([config]);
  });
});
