import { accountFromSeed, type Account } from '@avm402/algorand/account';
import { encodeBase64 } from '@avm402/algorand/base64';
import { developmentSeed } from '@avm402/algorand/development-key';
import { isAlgorandError } from '@avm402/algorand/errors';
import { LOCALNET } from '@avm402/algorand/networks';
import { accountOf, algodOf, requireAccount } from './environment.ts';
import type { Terminal } from '../command/terminal.ts';

/**
 * The account of the environment. Without one, and only if algod is the embedded development node, its account `payer`,
 * whose key is public.
 * @throws X402Error `environment_invalid`
 */
export async function payingAccount(terminal: Terminal, from?: string): Promise<Account> {
  const { environment } = terminal;
  const account = accountOf(environment, from);
  if (account) return account;
  if (from !== undefined || !(await isDevelopmentNode(environment))) return requireAccount(environment, from);
  terminal.error('No key in the environment: paying from the development account "payer".');
  return accountFromSeed(developmentSeed('payer'));
}

async function isDevelopmentNode(environment: Terminal['environment']): Promise<boolean> {
  try {
    const { genesisHash } = await algodOf(environment).params();
    return encodeBase64(genesisHash) === LOCALNET.genesisHash;
  } catch (error) {
    if (isAlgorandError(error)) return false;
    throw error;
  }
}
