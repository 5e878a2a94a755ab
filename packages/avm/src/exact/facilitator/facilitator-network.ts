import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { SponsorshipPolicy } from '../checks/sponsored.ts';

/** The account that pays fees, and for whom. */
export interface Sponsor extends SponsorshipPolicy {
  readonly account: Account;
  /** µAlgo that one payment may cost, at most. */
  readonly maxFee: bigint;
  /** µAlgo left for payments of sellers who are not listed. */
  anyoneBudget(): Promise<bigint>;
}

/** One Algorand network that a facilitator serves. */
export interface FacilitatorNetwork {
  /** Standard base64, 44 characters. */
  readonly genesisHash: string;
  /** What verification asks of a node of this network. */
  readonly algod: Pick<AlgodClient, 'simulate' | 'params'>;
  /** The latest round that is known without asking. */
  lastRound(): bigint;
  /** Absent: every payment carries its own fee. */
  readonly sponsor?: Sponsor;
}
