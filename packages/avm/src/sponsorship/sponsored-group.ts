import type { Account } from '@avm402/algorand/account';
import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { schemeCode, type SchemeInCodes, X402Error } from '@avm402/core/errors';
import { askNode, type RefusedGroup, simulateGroup } from '../node/ask-node.ts';
import { type NetworkFees, networkFee, SIGNATURE_BYTES } from '../node/network-fees.ts';
import type { FacilitatorNetwork, Sponsor, SponsoredParties } from './sponsor.ts';

/** A member of a group in the form that is submitted; a member that the sponsor signs has no signature yet. */
export interface SponsoredMember {
  readonly txn: Transaction;
  readonly bytes: Uint8Array;
}

/** A group that passed its scheme's offline checks. */
export interface ProposedGroup {
  /** The scheme whose codes tell why the group is refused. */
  readonly scheme: SchemeInCodes;
  readonly members: readonly SponsoredMember[];
  /** The indexes of the members that the sponsor signs. A sender chosen by a stranger can't add another member. */
  readonly ours: readonly number[];
  /** The parties that the sponsor pays for. Absent: no budget limits the group. */
  readonly parties?: SponsoredParties;
  /** The most µAlgo that the sponsor pays for the group. */
  readonly mostFee: bigint;
  /** The fees that the network asks for now. Absent: this facilitator calculated the group's fee from them itself. */
  readonly fees?: () => Promise<NetworkFees>;
}

/** The minimum fees that a Falcon signature costs. */
const FALCON_MIN_FEES = 2n;

declare const verified: unique symbol;

/** A group that the chain would accept now, and whose fee the sponsor pays. Only {@link verifyGroup} creates one. */
export interface VerifiedGroup {
  readonly [verified]: true;
  readonly members: readonly SponsoredMember[];
  /** The account that signs each of the sponsor's members, by index. */
  readonly ours: ReadonlyMap<number, Account>;
  /** The parties that the sponsor pays for, and under which terms; absent if no budget limits the group. */
  readonly parties?: SponsoredParties;
  /** µAlgo for the whole group. */
  readonly fee: bigint;
  /** The latest round that any node has shown. */
  readonly round: bigint;
}

/** A group whose fee is paid from a budget. */
export type SponsoredGroup = VerifiedGroup & Required<Pick<VerifiedGroup, 'parties'>>;

const NO_ACCOUNTS: Sponsor['accounts'] = new Map();

/** A member that the sponsor will sign. */
export function unsigned(txn: Transaction): SponsoredMember {
  return { txn, bytes: encodeSignedTransaction({ txn }) };
}

/**
 * Verifies that the sponsor pays for the group and that the chain accepts it now. This is the only way to get a group
 * that the sponsor signs.
 * @param simulate - asks the chain, or answers what it said of the same bytes a moment ago
 * @throws X402Error with a wire reason, `sponsor_rekeyed`, or `algod_unreachable`
 */
export async function verifyGroup<Group extends ProposedGroup>(
  group: Group,
  network: Pick<FacilitatorNetwork, 'algod' | 'lastRound' | 'sponsor'>,
  simulate: typeof simulateGroup = simulateGroup,
): Promise<(VerifiedGroup & Pick<Group, 'parties'>) | RefusedGroup> {
  const { algod, sponsor } = network;
  const ours = ownMembers(group, sponsor?.accounts ?? NO_ACCOUNTS);
  const fee = group.members.reduce((total, { txn }) => total + txn.fee, 0n);
  if (sponsor !== undefined && ours.size > 0) await checkFee(group, fee, sponsor);
  const verdict = await simulate(
    algod,
    group.members.map((member, index) => asSigned(member, ours.get(index))),
  );
  if ('refusal' in verdict) {
    assertKeys(group, verdict.refusal);
    return verdict;
  }
  const known = network.lastRound();
  const round = known > verdict.lastRound ? known : verdict.lastRound;
  // The only constructor of the brand.
  const { members, parties } = group;
  return { members, ours, ...(parties && { parties }), fee, round } as VerifiedGroup & Pick<Group, 'parties'>;
}

/** The group in the form that is submitted. Nothing else signs for a sponsor. */
export function signSponsored({ members, ours }: VerifiedGroup): Uint8Array[] {
  return members.map(({ txn, bytes }, index) => ours.get(index)?.signTransaction(txn) ?? bytes);
}

/** The member as a simulation tries it: without our signature, and by our key, which a rekeyed account obeys. */
function asSigned({ txn, bytes }: SponsoredMember, account: Account | undefined): Uint8Array {
  if (account === undefined || account.signerAddress === account.address) return bytes;
  return encodeSignedTransaction({ txn, authAddress: account.signerAddress });
}

/** Checks that it is not for one of our own members that the chain refuses the group: then our keys are outdated. */
function assertKeys({ members, ours }: ProposedGroup, refusal: AlgodRefusal): void {
  if (refusal.kind !== 'wrong_authorizer') return;
  const isOurs = members.some(({ txn }, index) => ours.includes(index) && transactionId(txn) === refusal.txId);
  if (isOurs) throw new X402Error('sponsor_rekeyed');
}

/** Checks that the sponsor's accounts send the members to be signed, and appear nowhere else in the group. */
function ownMembers(
  { scheme, members, ours, parties }: ProposedGroup,
  accounts: Sponsor['accounts'],
): ReadonlyMap<number, Account> {
  const signers = new Map<number, Account>();
  for (const [index, { txn }] of members.entries()) {
    const account = accounts.get(txn.sender);
    const isOurs = ours.includes(index);
    if (isOurs && account !== undefined) signers.set(index, account);
    else if (isOurs) {
      throw new X402Error(schemeCode(scheme, 'unsigned_non_facilitator'), {
        message: `fee payer ${txn.sender} is not an account of this facilitator`,
      });
    } else if (account !== undefined) {
      throw new X402Error(schemeCode(scheme, 'facilitator_transferring'), {
        message: "the payer is the facilitator's own account",
      });
    }
  }
  if (parties === undefined || !accounts.has(parties.payTo)) return signers;
  throw new X402Error(schemeCode(scheme, 'not_sponsored'), {
    message: "payments to the facilitator's own account are not sponsored",
  });
}

/**
 * Checks that the fee is at most the cap, the rest of the budgets, and a fifth more than the network asks for; anything
 * above would be given away.
 */
async function checkFee(group: ProposedGroup, fee: bigint, sponsor: Sponsor): Promise<void> {
  if (fee > group.mostFee)
    throw feeTooHigh(group, `the group pays ${fee} µAlgo of fees, at most ${group.mostFee} are sponsored`);
  const left = group.parties && (await sponsor.budgetLeft(group.parties));
  if (left !== undefined && fee > left) {
    throw new X402Error(schemeCode(group.scheme, 'sponsor_budget'), {
      message: `the sponsor's budget for this payment is spent for today: ${left} µAlgo are left`,
    });
  }
  if (group.fees === undefined) return;
  const fees = await askNode(group.fees);
  const required = networkFee(sizesOf(group), fees) + falconFee(group, fees);
  const allowed = (required * 12n) / 10n;
  if (fee > allowed) {
    throw feeTooHigh(
      group,
      `the group pays ${fee} µAlgo of fees, the network asks for ${required}; up to ${allowed} are sponsored`,
    );
  }
}

/** Bytes of each member once all have signed. */
function sizesOf({ members, ours }: ProposedGroup): number[] {
  return members.map(({ bytes }, index) => bytes.length + (ours.includes(index) ? SIGNATURE_BYTES : 0));
}

/** What the chain asks for Falcon signatures, besides the transactions' own fees. */
function falconFee({ members }: ProposedGroup, { minFee }: NetworkFees): bigint {
  const signed = members.filter(({ bytes }) => decodeSignedTransaction(bytes).pqSignature !== undefined);
  return BigInt(signed.length) * FALCON_MIN_FEES * minFee;
}

function feeTooHigh({ scheme }: ProposedGroup, message: string): X402Error {
  return new X402Error(schemeCode(scheme, 'fee_too_high'), { message });
}
