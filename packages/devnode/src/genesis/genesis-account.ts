import { isAllZero } from '../codec/bytes.ts';
import { genesisAccount } from '../codec/schema/genesis.ts';
import type { ValueOf } from '../codec/kind.ts';
import { DevnodeError } from '../errors.ts';
import { EMPTY_ACCOUNT, type Account, type AccountStatus } from '../ledger/account.ts';

const STATUSES: readonly AccountStatus[] = ['Offline', 'Online', 'Not Participating'];

/** The account that a genesis allocation gives. An online one without a key to vote with has none that could expire. */
export function accountFromGenesis(state: ValueOf<typeof genesisAccount>): Account {
  const { online, microAlgos, ...keys } = state;
  const status = STATUSES[online];
  if (status === undefined) throw new DevnodeError('invalid_genesis', `genesis, onl: ${online} is none of 0, 1, 2`);
  const votes = status === 'Online' && !isAllZero(keys.voteKey);
  return { ...EMPTY_ACCOUNT, microAlgos, status, participation: votes ? keys : undefined };
}
