import { isAllZero } from '../codec/bytes.ts';
import type { GenesisAccount } from '../codec/schema/genesis.ts';
import { DevnodeError } from '../errors.ts';
import { ACCOUNT_STATUSES, EMPTY_ACCOUNT, type Account } from './account.ts';

/**
 * The account that a genesis allocation gives. An online account without a voting key has no keys that could expire.
 * @throws DevnodeError `invalid_genesis` for a status that does not exist
 */
export function accountFromGenesis(allocation: GenesisAccount): Account {
  const { online, microAlgos, ...keys } = allocation;
  const status = ACCOUNT_STATUSES[online];
  if (status === undefined) throw new DevnodeError('invalid_genesis', `genesis, onl: ${online} is none of 0, 1, 2`);
  const votes = status === 'Online' && !isAllZero(keys.voteKey);
  return { ...EMPTY_ACCOUNT, microAlgos, status, participation: votes ? keys : undefined };
}
