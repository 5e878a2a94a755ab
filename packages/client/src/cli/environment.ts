import { isAlgorandError } from '@avm402/algorand/errors';
import { parseAccount, type Account } from '@avm402/algorand/account';
import { X402Error } from '@avm402/core/errors';
import type { Networks } from '../networks.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The paying account: `AVM_MNEMONIC` (25 words) or `AVM_PRIVATE_KEY`. Errors: `environment_invalid`, naming the variable. */
export function accountFrom(environment: Environment): Account {
  const { AVM_MNEMONIC, AVM_PRIVATE_KEY, AVM_ADDRESS } = environment;
  if (AVM_MNEMONIC && AVM_PRIVATE_KEY) {
    throw new X402Error('environment_invalid', { message: 'set AVM_MNEMONIC or AVM_PRIVATE_KEY, not both' });
  }
  const [name, secret] = AVM_MNEMONIC ? ['AVM_MNEMONIC', AVM_MNEMONIC] : ['AVM_PRIVATE_KEY', AVM_PRIVATE_KEY];
  if (!secret) {
    const message =
      'AVM_MNEMONIC (25 words) or AVM_PRIVATE_KEY (base64 of 64 bytes) is missing: it is the account that pays';
    throw new X402Error('environment_invalid', { message });
  }
  try {
    return parseAccount(secret, AVM_ADDRESS ? { address: AVM_ADDRESS } : {});
  } catch (error) {
    if (!isAlgorandError(error)) throw error;
    throw new X402Error('environment_invalid', { message: `${name}: ${error.message}` });
  }
}

/** The buyer's algod: `ALGOD_URL` and `ALGOD_TOKEN`, for whatever network it belongs to. */
export function networksFrom({ ALGOD_URL, ALGOD_TOKEN }: Environment): Networks {
  return ALGOD_URL ? { 'algorand:*': { url: ALGOD_URL, ...(ALGOD_TOKEN && { token: ALGOD_TOKEN }) } } : {};
}
