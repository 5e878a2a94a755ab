import { assignGroup } from '@avm402/algorand/group';
import type { Transaction, TransactionHeader } from '@avm402/algorand/transaction';

/** The minimum balance in µAlgo of an account with one asset (0.1 Algo for the account and 0.1 for the asset). */
export const ASSET_ACCOUNT_MINIMUM = 200_000n;

/** The validity window of a group and the fee of its members; the first member pays for all. */
export interface GroupTerms {
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly genesisId?: string;
  /** µAlgo for each member. */
  readonly fee: bigint;
}

/** A member of a group without what all members share. */
export type GroupDraft<T = Transaction> = T extends unknown
  ? Omit<T, 'fee' | 'firstValid' | 'lastValid' | 'genesisId' | 'genesisHash'>
  : never;

/** The members as one group, whose first member pays the fees of all. */
export function pooledGroup(genesisHash: Uint8Array, terms: GroupTerms, drafts: readonly GroupDraft[]): Transaction[] {
  const { firstValid, lastValid, genesisId, fee } = terms;
  const header: Omit<TransactionHeader, 'sender'> = {
    firstValid,
    lastValid,
    ...(genesisId !== undefined && { genesisId }),
    genesisHash,
    fee: 0n,
  };
  const members = drafts.map((draft, index): Transaction => ({
    ...header,
    ...draft,
    fee: index === 0 ? fee * BigInt(drafts.length) : 0n,
  }));
  return assignGroup(members);
}
