import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import {
  type FacilitatorNetwork,
  PaymentVerifier,
  requirementsDigest,
  type Sponsor,
} from '@avm402/avm/exact/facilitator';
import { isX402Error } from '@avm402/core/errors';
import type { Devnode } from '@avm402/devnode';
import type { CheckedAgain, SellersView } from './check-as-seller.ts';
import { replayedMember } from './replayed-member.ts';

/**
 * Has a payment verified on the node as a facilitator does: its fee, whether the ledger takes it, and whether enough of its
 * rounds are left. Whom the facilitator sponsors is not in the file, and not checked.
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
  // It is asked once: no time passes for what it remembers.
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

/** As most facilitators are set: µAlgo of one payment, at most. */
const MAX_FEE = 10_000n;

/** Pays the fee for anyone, within the usual limits. Verifying signs nothing, so any key stands for the sponsor's. */
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
