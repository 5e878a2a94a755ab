import { formatAddress } from '@avm402/algorand/address';
import { applicationAddress } from '@avm402/teal/application';

/**
 * The address of the account that an application pays from, on every network.
 * @example
 * ```ts
 * import { accountOfApplication, startDevnode } from '@avm402/devnode';
 *
 * const node = await startDevnode({ port: 0 });
 * await node.fund(accountOfApplication(1001n), 1_000_000n);
 * ```
 */
export function accountOfApplication(application: bigint): string {
  return formatAddress(applicationAddress(application));
}
