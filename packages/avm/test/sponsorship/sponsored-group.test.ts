import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assignGroup } from '@avm402/algorand/group';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { describe, expect, it } from 'vitest';
import type { FacilitatorNetwork, Sponsor } from '../../src/sponsorship/sponsor.ts';
import { type ProposedGroup, signSponsored, unsigned, verifyGroup } from '../../src/sponsorship/sponsored-group.ts';
import { feePayment, merchant, payer, sponsor, stranger, transfer } from '../exact/checks/payment-fixture.ts';

const parties = { terms: 'listed', payTo: merchant.address, payer: payer.address, advance: false } as const;

/** Members of a group; those of `payer` are signed, and all others are not. */
function members(...transactions: readonly Transaction[]): ProposedGroup['members'] {
  return assignGroup(transactions).map((txn) =>
    txn.sender === payer.address ? { txn, bytes: payer.signTransaction(txn) } : unsigned(txn),
  );
}

const proposed: ProposedGroup = {
  scheme: 'upto',
  members: members(feePayment, transfer),
  ours: [0],
  parties,
  mostFee: 10_000n,
  fees: async () => ({ fee: 0n, minFee: 1000n }),
};

function network(change: Partial<Sponsor> = {}): FacilitatorNetwork {
  return {
    genesisHash: '',
    algod: {
      simulate: async () => ({ lastRound: 110n, wouldSucceed: true }),
      params: () => Promise.reject(new Error('the gate asks for fees by its own way')),
    },
    lastRound: () => 112n,
    sponsor: {
      account: sponsor,
      accounts: new Map([[sponsor.address, sponsor]]),
      feePayer: () => sponsor.address,
      uptoFeePayer: () => undefined,
      payTo: new Set(),
      assets: new Set(),
      minAmount: 1n,
      anyone: false,
      maxFee: 10_000n,
      budgetLeft: async () => 10_000n,
      ...change,
    },
  };
}

async function codeOf(change: Partial<ProposedGroup>, served = network()): Promise<unknown> {
  try {
    await verifyGroup({ ...proposed, ...change }, served);
    return 'verified';
  } catch (error) {
    return isX402Error(error) ? error.code : error;
  }
}

describe('a group that a sponsor signs', () => {
  it('says what it costs, whom it is for, and the latest round that any node has shown', async () => {
    expect(await verifyGroup(proposed, network())).toMatchObject({ fee: 2000n, parties, round: 112n });
  });

  it('is signed where a member is ours, and nowhere else', async () => {
    const group = await verifyGroup(proposed, network());
    if ('refusal' in group) throw new Error('refused');
    const [fee, paid] = signSponsored(group);
    expect(decodeSignedTransaction(fee ?? new Uint8Array()).signature).toHaveLength(64);
    expect(paid).toEqual(proposed.members[1]?.bytes);
  });

  it('is none that the chain refuses', async () => {
    const failureMessage = 'transaction A: asset frozen in recipient';
    const simulate = async () => ({ lastRound: 110n, wouldSucceed: false, failureMessage });
    const served = { ...network(), algod: { ...network().algod, simulate } };
    expect(await verifyGroup(proposed, served)).toMatchObject({ refusal: { kind: 'asset_frozen' } });
  });

  it('is our own trouble where the chain asks for another key of ours, and the payer’s where for another one of it', async () => {
    const codes = await Promise.all(
      proposed.members.map(async ({ txn }) => {
        const failureMessage = `transaction ${transactionId(txn)}: should have been authorized by A`;
        const simulate = async () => ({ lastRound: 110n, wouldSucceed: false, failureMessage });
        const served = { ...network(), algod: { ...network().algod, simulate } };
        return verifyGroup(proposed, served).catch((error: unknown) => Object(error).code);
      }),
    );
    expect(codes).toMatchObject(['sponsor_rekeyed', { refusal: { kind: 'wrong_authorizer' } }]);
  });

  it.each([
    [
      'a member that is said to be ours and is not',
      { members: members({ ...feePayment, sender: stranger.address }, transfer) },
      'unsigned_non_facilitator',
    ],
    [
      'an account of ours beside the members that are',
      { members: members(feePayment, { ...transfer, sender: sponsor.address }) },
      'facilitator_transferring',
    ],
    [
      'an account of ours where no member is',
      { ours: [], members: members(feePayment, transfer) },
      'facilitator_transferring',
    ],
    ['a payment to ourselves', { parties: { ...parties, payTo: sponsor.address } }, 'not_sponsored'],
    ['a fee above the most that it may cost', { mostFee: 1_999n }, 'fee_too_high'],
    ['a fee of other members, too', { members: members(feePayment, { ...transfer, fee: 401n }) }, 'fee_too_high'],
    [
      'more than a fifth above what the network asks for',
      { members: members({ ...feePayment, fee: 2_401n }, transfer) },
      'fee_too_high',
    ],
  ] as const)('is not one with %s', async (_, change, code) => {
    expect(await codeOf(change)).toBe(`invalid_upto_avm_${code}`);
  });

  it('is within the budget of those whom it is for', async () => {
    expect(await codeOf({}, network({ budgetLeft: async () => 2_000n }))).toBe('verified');
    const spent = network({ budgetLeft: async () => 1_999n });
    expect(await codeOf({}, spent)).toBe('invalid_upto_avm_sponsor_budget');
    const { parties: _, ...bringsBack } = proposed;
    expect(await verifyGroup(bringsBack, spent)).toMatchObject({ fee: 2000n });
  });

  it('needs no sponsor where no member is ours', async () => {
    const { sponsor: _, ...alone } = network();
    const own: ProposedGroup = {
      scheme: 'exact',
      members: members({ ...transfer, fee: 1000n }),
      ours: [],
      mostFee: 0n,
    };
    expect(await verifyGroup(own, alone)).toMatchObject({ fee: 1000n });
    expect(await codeOf({}, alone)).toBe('invalid_upto_avm_unsigned_non_facilitator');
  });
});

describe('a sponsor’s key', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const sources = readdirSync(`${root}packages`).flatMap((name) =>
    readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `packages/${name}/src/${file}`),
  );
  const signing = sources.filter((file) => /\bsignTransaction\b|\.sign\(/.test(readFileSync(`${root}${file}`, 'utf8')));

  /** Whoever is not a facilitator signs with keys of buyers and sellers; the node's wallets sign for whoever has the token. */
  const OTHERS =
    /^packages\/(algorand|teal|devnode|client|cli|server|paying-page|console|create-avm402)\/|\/src\/[^/]+\/(client|server)\//;

  it('signs in one place', () => {
    expect(signing.filter((file) => !OTHERS.test(file)).toSorted()).toEqual([
      // The words of a channel's seller and payer: no transactions.
      'packages/avm/src/batch-settlement/claim-authorization.ts',
      'packages/avm/src/batch-settlement/close-authorization.ts',
      'packages/avm/src/batch-settlement/voucher.ts',
      // An agent's key, and a payer's own.
      'packages/avm/src/mandate/mandate-groups.ts',
      'packages/avm/src/signing/payment-signer.ts',
      'packages/avm/src/sponsorship/sponsored-group.ts',
    ]);
  });

  it('is in nobody’s hands but a facilitator’s', () => {
    const naming = sources.filter(
      (file) => OTHERS.test(file) && /\bsignSponsored\b/.test(readFileSync(`${root}${file}`, 'utf8')),
    );
    expect(naming).toEqual([]);
  });
});
