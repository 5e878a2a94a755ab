import { parseAccount, type Account } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { type AlgodClient, type AlgodClientOptions, createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import type { NetworkAccess } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { invalidArguments, valueOf } from '../command/command.ts';
import type { Environment } from '../command/terminal.ts';

export const ENVIRONMENT_HELP = `Environment
  AVM_MNEMONIC            the account that pays: 25 words
  AVM_PRIVATE_KEY         the same as base64 of 64 bytes; set one of the two (with the embedded node, "pay" uses
                          the development account "payer" by default)
  ALGOD_URL, ALGOD_TOKEN  your algod, of any Algorand network
                          (default: the development node, http://127.0.0.1:4001)`;

/**
 * The account of `AVM_MNEMONIC` or `AVM_PRIVATE_KEY`; undefined if neither is set. `from` is the account to pay from, if
 * it is rekeyed to that key.
 * @throws X402Error `environment_invalid`, which names the variable, never its value; `invalid_arguments`
 */
export function accountOf(environment: Environment, from?: string): Account | undefined {
  const { AVM_MNEMONIC: mnemonic, AVM_PRIVATE_KEY: key } = environment;
  if (mnemonic && key) {
    throw new X402Error('environment_invalid', { message: 'set AVM_MNEMONIC or AVM_PRIVATE_KEY, not both' });
  }
  const [name, secret] = mnemonic ? ['AVM_MNEMONIC', mnemonic] : ['AVM_PRIVATE_KEY', key];
  if (!secret) return undefined;
  try {
    return parseAccount(secret, from === undefined ? {} : { address: from });
  } catch (error) {
    if (!isAlgorandError(error)) throw error;
    // Without the cause, which has seen the secret.
    if (error.code === 'invalid_address') throw invalidArguments(`--from: ${error.message}`);
    throw new X402Error('environment_invalid', { message: `${name}: ${error.message}` });
  }
}

/** The account of the environment; throws if there is none. */
export function requireAccount(environment: Environment, from?: string): Account {
  const account = accountOf(environment, from);
  if (account) return account;
  throw new X402Error('environment_invalid', {
    message: 'AVM_MNEMONIC (25 words) or AVM_PRIVATE_KEY (base64 of 64 bytes) is missing: set the account that pays',
  });
}

/**
 * The address that a command is about: the one that it names, or that of the environment's account.
 * @throws X402Error `environment_invalid`, `invalid_arguments`
 */
export function addressOf(named: string | undefined, command: string, environment: Environment): string {
  const address = named ?? accountOf(environment)?.address;
  if (address === undefined) {
    const message = `whose account? Name it (avm402 ${command} ADDRESS), or set AVM_MNEMONIC or AVM_PRIVATE_KEY`;
    throw new X402Error('environment_invalid', { message });
  }
  valueOf('ADDRESS', () => parseAddress(address));
  return address;
}

/** The node of `ALGOD_URL` and `ALGOD_TOKEN`; else the development node. */
export function nodeOf({ ALGOD_URL: url, ALGOD_TOKEN: token }: Environment): AlgodClientOptions {
  return url ? { url, ...(token && { token }) } : DEVELOPMENT_ALGOD;
}

/** The node of `ALGOD_URL`, for any network that it belongs to; else what a payer has by default. */
export function networksOf(environment: Environment): Readonly<Record<string, NetworkAccess>> {
  return environment['ALGOD_URL'] ? { 'algorand:*': nodeOf(environment) } : {};
}

/** The algod of commands that learn the network from it. */
export function algodOf(environment: Environment): AlgodClient {
  return createAlgodClient(nodeOf(environment));
}
