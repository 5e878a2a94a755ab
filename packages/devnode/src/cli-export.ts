import { parsed } from './cli-options.ts';
import { isAddress } from '@avm402/algorand/address';
import { createAlgodClient } from '@avm402/algorand/algod';
import { AlgorandError } from '@avm402/algorand/errors';
import { exportAccounts } from './accounts-file/export-accounts.ts';
import { DevnodeError } from './errors.ts';

const USAGE = 'usage: avm402-devnode export --algod URL [--token TOKEN] ADDRESS…';

/**
 * Gives the accounts file that `avm402-devnode export` prints.
 * @throws DevnodeError `invalid_options`, which says what is wrong; `unreachable` when algod does not answer a request
 */
export async function exportCommand(args: readonly string[]): Promise<string> {
  const { url, token, addresses } = readArguments(args);
  try {
    return await exportAccounts(createAlgodClient({ url, token }), addresses);
  } catch (cause) {
    if (!(cause instanceof AlgorandError)) throw cause;
    const code = cause.code === 'invalid_algod_options' ? 'invalid_options' : 'unreachable';
    throw new DevnodeError(code, `--algod: ${cause.message}`, { cause });
  }
}

function readArguments(args: readonly string[]) {
  const options = { algod: { type: 'string' }, token: { type: 'string' } } as const;
  const { values, positionals: addresses } = parsed({ args: [...args], options, allowPositionals: true }, USAGE);
  const wrong = addresses.find((address) => !isAddress(address));
  if (wrong !== undefined) throw new DevnodeError('invalid_options', `${wrong} is not an address; ${USAGE}`);
  if (values.algod === undefined || addresses.length === 0) throw new DevnodeError('invalid_options', USAGE);
  return { url: values.algod, token: values.token ?? '', addresses };
}
