import type { applicationGroup } from '@avm402/teal/application';
import type { Environment } from '@avm402/teal/run';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import type { AddressKey } from '../transaction/address-key.ts';
import type { OnlineAccounts } from './state/online-accounts.ts';
import type { GroupMember } from '../transaction/member.ts';
import type { State } from './state/state.ts';
import type { Uses } from './uses.ts';

/** The context that all blocks of a chain share. */
export interface ChainContext {
  readonly parameters: ConsensusParameters;
  readonly genesisId: string;
  readonly genesisHash: Uint8Array;
  readonly feeSink: AddressKey;
  readonly rewardsPool: AddressKey;
  /** Accounts that are exempt from the minimum balance rule. */
  readonly exempt: ReadonlySet<AddressKey>;
  /** The part of the chain that programs can read. */
  readonly environment: Environment;
  /** The online accounts as of the latest block. */
  readonly online: OnlineAccounts;
}

/** How the programs of a simulation run. */
interface SimulatedPrograms extends Partial<
  Pick<Parameters<typeof applicationGroup>[0], 'limits' | 'trace' | 'unnamed'>
> {
  /** A member with the authorizer that simulate gives it, known only when its turn comes. */
  readonly memberAt?: (index: number, state: State) => GroupMember | undefined;
}

/** A group's place in the chain. */
export interface GroupContext {
  readonly chain: ChainContext;
  /** The round of the block that the group would be in. */
  readonly round: bigint;
  /** The number of transactions before the group, in all blocks and in this one. */
  readonly counter: bigint;
  /** The ids and leases that earlier transactions have used up. */
  readonly uses: Uses;
  readonly simulated?: SimulatedPrograms;
}
