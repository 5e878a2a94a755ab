import { type SponsoredParties, signSponsored, type VerifiedGroup } from '@avm402/avm/sponsorship';
import type { NewSettlement } from './settlement.ts';
import type { Budget, ChannelLimits } from './settlement-store.ts';

/** The facts about a settlement that its request gives. */
export type OrderFacts = Omit<NewSettlement, 'keyHash' | 'round' | 'sponsoredFee' | 'terms' | 'advance' | 'group'>;

/** A request to settle: the facts for its row, and how it begins if nobody has begun it. */
export interface SettlementOrder extends OrderFacts {
  /** For an opening: how many channels may be open, this one included. */
  readonly channelLimits?: ChannelLimits;
  /**
   * Verifies its group against the chain as it is now.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  readonly verify: () => Promise<VerifiedGroup>;
}

/** A settlement that may begin: its row, and the budgets that pay for it. */
export interface PreparedSettlement {
  readonly settlement: Omit<NewSettlement, 'keyHash'>;
  /** Every one of these must have room for the fee. */
  readonly budgets: readonly Budget[];
  readonly channelLimits?: ChannelLimits;
}

/** The row of a settlement, with the group as the sponsor signed it. Without parties, it carries its own fee. */
export function newRow(
  facts: OrderFacts,
  group: VerifiedGroup,
  parties: SponsoredParties | undefined = group.parties,
): PreparedSettlement['settlement'] {
  return {
    ...facts,
    round: group.round,
    sponsoredFee: parties === undefined ? 0n : group.fee,
    ...(parties !== undefined && { terms: parties.terms }),
    advance: parties?.advance ?? false,
    group: Buffer.concat(signSponsored(group)),
  };
}
