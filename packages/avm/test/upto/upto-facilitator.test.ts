import { describe, expect, it } from 'vitest';
import { AlgorandError } from '@avm402/algorand/errors';
import { isX402Error } from '@avm402/core/errors';
import type { FacilitatorNetwork, Sponsor } from '../../src/sponsorship/sponsor.ts';
import { UptoAvmFacilitator } from '../../src/upto/facilitator/upto-avm-facilitator.ts';
import { uptoRequest, verifyUpto } from '../../src/upto/facilitator/upto-request.ts';
import { checkUptoCharge, uptoSettlement } from '../../src/upto/facilitator/upto-charge.ts';
import { isUptoGroup, uptoLease } from '../../src/signing/upto-lease.ts';
import { encodeUptoPayload } from '../../src/upto/payload.ts';
import { account, closer, genesisHash, LAST, offer, payer, seller, settler, signed } from './upto-fixture.ts';

/** A payment that ends with round 5,000. */
function paid(accepted = offer, feePayer = settler.address) {
  return { x402Version: 2 as const, accepted, payload: encodeUptoPayload(signed({ feePayer })) };
}

/** What a test says of a chain and of a facilitator. */
interface Told {
  /** The round in which the node that is asked tries the group. */
  readonly tried?: bigint;
  /** The latest round that any node has shown. */
  readonly known?: bigint;
  readonly failure?: string;
  readonly minFee?: bigint;
  readonly algod?: Partial<FacilitatorNetwork['algod']>;
  readonly sponsor?: Partial<Sponsor>;
}

function told({ tried = 4_500n, known = 0n, failure, minFee = 1000n, ...change }: Told = {}): FacilitatorNetwork {
  const params = { fee: 0n, minFee, genesisId: '', genesisHash, lastRound: tried, consensusVersion: '' };
  return {
    genesisHash: '',
    lastRound: () => known,
    algod: {
      params: async () => params,
      simulate: async () => ({ lastRound: tried, wouldSucceed: !failure, ...(failure && { failureMessage: failure }) }),
      ...change.algod,
    },
    sponsor: {
      account: closer,
      accounts: new Map([closer, settler].map((one) => [one.address, one])),
      feePayer: () => closer.address,
      uptoFeePayer: () => settler.address,
      payTo: new Set([seller.address]),
      assets: new Set(['5']),
      minAmount: 1n,
      anyone: false,
      maxFee: 10_000n,
      budgetLeft: async () => 10_000n,
      ...change.sponsor,
    },
  };
}

const facilitator = (facts?: Told, network: FacilitatorNetwork | undefined = told(facts)) =>
  new UptoAvmFacilitator({
    networkOf: (id) => (id === offer.network ? network : undefined),
    settle: () => Promise.reject(new Error('not asked')),
    now: () => 0,
  });

/** What a charge would be settled with. */
function charged(amount: bigint, facts: Told = {}) {
  const upto = checkUptoCharge(paid(), { ...offer, amount: String(amount) });
  return verifyUpto(uptoRequest(upto, told(facts)), uptoSettlement(upto, 1000n));
}

async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return isX402Error(error) ? error.code.replace('invalid_upto_avm_', '') : error;
  }
}

describe('a charge that is verified', () => {
  it('is signed by its fee payer, for the seller and the payer', async () => {
    const group = await charged(7n);
    expect([...group.ours].map(([index, { address }]) => [index, address])).toEqual([[0, settler.address]]);
    const parties = { terms: 'listed', payTo: seller.address, payer: payer.address, advance: false };
    expect([group.parties, group.fee, group.round]).toEqual([parties, 2000n, 4500n]);
  });

  it('is an advance where it is below the least amount, though its maximum is not', async () => {
    const advance = async (amount: bigint) => (await charged(amount, { sponsor: { minAmount: 100n } })).parties.advance;
    expect([await advance(99n), await advance(100n)]).toEqual([true, false]);
  });

  it.each<[string, Told, string]>([
    ['where its maximum is the least amount', { sponsor: { minAmount: 50_000n } }, 'ok'],
    ['where its maximum is below the least amount', { sponsor: { minAmount: 50_001n } }, 'not_sponsored'],
    ['where anyone is sponsored', { sponsor: { minAmount: 50_001n, anyone: true } }, 'ok'],
    ['for the most that one payment may cost', { sponsor: { maxFee: 2000n } }, 'ok'],
    ['for more than one payment may cost', { sponsor: { maxFee: 1999n } }, 'fee_too_high'],
    ['whose lease another charge holds', { failure: 'using an overlapping lease' }, 'settled'],
    ['whose payer is frozen', { failure: 'asset 5 frozen in here' }, 'asset_frozen'],
    ['whose fee payer is poor', { failure: `overspend (account ${settler.address}, ` }, 'sponsor_unfunded'],
    ['in the round before its last', { tried: 4999n }, 'ok'],
    ['in its last round', { tried: 5000n }, 'expired'],
    ['in its last round, as another node shows than the one that tries it', { known: 5000n }, 'expired'],
    ['a thousand rounds before its last', { tried: 4000n }, 'ok'],
    ['longer before its last round than a window lasts', { tried: 3999n }, 'authorization'],
  ])('is paid for, or not, %s', async (_what, facts, code) => {
    expect(await codeOf(() => charged(7n, facts))).toBe(code);
  });
});

describe('the scheme of a facilitator', () => {
  const verify = (facts?: Told) => facilitator(facts).verify(paid(), offer);

  it.each([
    ['three rounds before its last', { tried: 4997n }, undefined],
    ['two rounds before its last', { tried: 4998n }, 'invalid_upto_avm_expired'],
    ['for its maximum at the least amount', { sponsor: { minAmount: 50_000n } }, undefined],
  ])('verifies an authorization %s', async (_what, facts, invalidReason) => {
    const verdict = await verify(facts);
    expect([verdict.isValid, verdict.invalidReason]).toEqual([invalidReason === undefined, invalidReason]);
  });

  it('verifies none whose settlement would cost more than one payment may', async () => {
    const { params } = told().algod;
    const dear = { algod: { params: async () => ({ ...(await params()), fee: 40n }) } };
    expect(await verify(dear)).toMatchObject({ invalidReason: 'invalid_upto_avm_fee_too_high' });
  });

  it.each(['params', 'simulate'])('gives no verdict where a node does not answer (%s)', async (question) => {
    const algod = { [question]: () => Promise.reject(new AlgorandError('algod_timeout', 'no answer')) };
    await expect(verify({ algod })).rejects.toMatchObject({ code: 'algod_unreachable' });
  });

  it('names who settles, and all who sign; elsewhere nobody', () => {
    expect(facilitator().getExtra(offer.network)).toEqual({ feePayer: settler.address });
    expect(facilitator().getSigners(offer.network)).toEqual([closer.address, settler.address]);
    const { sponsor: _none, ...unsponsored } = told();
    for (const [one, network] of [
      [facilitator(), 'algorand:elsewhere'],
      [facilitator({}, unsponsored), offer.network],
    ] as const) {
      expect([one.getExtra(network), one.getSigners(network)]).toEqual([undefined, []]);
    }
  });

  it('settles for whom it pays fees and on networks that it serves', async () => {
    const { sponsor: _none, ...unsponsored } = told();
    const nobodys = 'unsigned_non_facilitator';
    expect(await codeOf(() => facilitator({}, unsponsored).check(paid(), offer))).toBe(nobodys);
    const toOther = { ...offer, extra: { feePayer: seller.address } };
    expect(await codeOf(() => facilitator().check(paid(), toOther))).toBe('authorization');
    const stranger = account(9).address;
    const named = { ...offer, extra: { feePayer: stranger } };
    expect(await codeOf(() => facilitator().check(paid(named, stranger), named))).toBe(nobodys);
    const nowhere = new UptoAvmFacilitator({
      networkOf: () => undefined,
      settle: () => Promise.reject(new Error('not asked')),
      now: () => 0,
    });
    expect(await codeOf(() => nowhere.check(paid(), offer))).toBe('unsupported_network');
  });

  it('tries the fee of now first, and every other one that a sponsor may have paid', async () => {
    const fees = async (facts: Told) => {
      const one = facilitator(facts);
      const groups = await one.settlementsOf(one.check(paid(), { ...offer, amount: '7' }));
      return groups.map(({ members: [fee] }) => fee.txn.fee);
    };
    const all = [2000n, 4000n, 6000n, 8000n, 10_000n, 12_000n, 14_000n, 16_000n, 18_000n, 20_000n];
    expect(await fees({})).toEqual(all);
    expect(await fees({ sponsor: { maxFee: 4000n } })).toEqual(all);
    expect(await fees({ minFee: 2000n })).toEqual([4000n, 8000n, 12_000n, 16_000n, 20_000n]);
  });
});

describe('the group of a charge', () => {
  const upto = checkUptoCharge(paid(), { ...offer, amount: '7' });
  const { members, txId, firstValid, lastValid } = uptoSettlement(upto, 1000n);

  it('is known by its lease, and no other group is', () => {
    const [fee, transfer] = members;
    expect(isUptoGroup(Buffer.concat([fee.bytes, transfer.bytes]))).toBe(true);
    const txn = { ...fee.txn, lease: new Uint8Array(32).fill(1) };
    expect(isUptoGroup(closer.signTransaction({ ...txn, sender: closer.address }))).toBe(false);
    const { lease: _lease, ...unleased } = fee.txn;
    expect(isUptoGroup(closer.signTransaction({ ...unleased, sender: closer.address }))).toBe(false);
  });

  it('charges what is to be charged in the rounds that it names', () => {
    expect([txId, firstValid, lastValid]).toEqual([expect.stringMatching(/^[A-Z2-7]{52}$/), 4000n, LAST]);
    const { group, ...shared } = members[0].txn;
    expect(group).toHaveLength(32);
    const header = { firstValid: 4000n, lastValid: LAST, genesisHash, lease: uptoLease(new Uint8Array(16).fill(1)) };
    const itself = { sender: settler.address, receiver: settler.address };
    expect(shared).toEqual({ ...header, ...itself, type: 'pay', amount: 0n, fee: 2000n });
    const paying = { sender: payer.address, receiver: seller.address, assetId: 5n };
    expect(members[1].txn).toEqual({ ...header, ...paying, group, type: 'axfer', amount: 7n, fee: 0n });
  });
});
