import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { PaymentVerifier } from '@avm402/avm/exact/facilitator';
import { type FacilitatorNetwork, requirementsDigest, type Sponsor } from '@avm402/avm/sponsorship';
import { isX402Error } from '@avm402/core/errors';
import type { Devnode } from '@avm402/devnode';
import type { CheckedAgain, SellersView } from './check-as-seller.ts';
import { replayedMember } from './replayed-member.ts';

/**
 * Has a payment verified on the node as a facilitator does: its fee, whether the ledger takes it, and whether enough of
 * its rounds are left. The file does not say whom the facilitator sponsors, so that is not checked.
 */
export async function verifyAsFacilitator(
  node: Devnode,
  payment: NonNullable<SellersView['payment']>,
): Promise<CheckedAgain> {
  const { url, token, genesisHash } = node;
  const { requirements, exact } = payment;
  const { feePayer } = exact;
  const network: FacilitatorNetwork = {
    genesisHash,
    algod: createAlgodClient({ url, token }),
    lastRound: () => node.latestRound,
    ...(feePayer && { sponsor: sponsorOf(node, feePayer.transaction.sender) }),
  };
  // The verifier is asked once, so no time passes for its memory.
  const verifier = new PaymentVerifier({ networkOf: () => network, now: () => 0 });
  const transfer = { ...exact.transfer, bytes: replayedMember(exact.transfer.bytes) };
  const checked = {
    ...payment,
    exact: { ...exact, transfer },
    requirementsDigest: requirementsDigest(requirements),
    network,
  };
  try {
    await verifier.verify(checked);
    return { by: 'facilitator', check: 'verify', outcome: 'passed' };
  } catch (error) {
    if (!isX402Error(error)) throw error;
    return { by: 'facilitator', check: 'verify', outcome: error.code };
  }
}

/** The most µAlgo for one payment, as most facilitators are set. */
const MAX_FEE = 10_000n;

/**
 * A sponsor that pays the fee for anyone, within the usual limits. Verifying signs nothing, so any key can stand in for
 * the sponsor's.
 */
function sponsorOf({ accounts }: Devnode, address: string): Sponsor {
  const account = parseAccount(accounts.facilitator.privateKey);
  return {
    account,
    accounts: new Map([[address, account]]),
    feePayer: () => address,
    uptoFeePayer: () => undefined,
    maxFee: MAX_FEE,
    budgetLeft: async () => MAX_FEE,
    payTo: new Set(),
    assets: new Set(),
    minAmount: 0n,
    anyone: true,
  };
}
