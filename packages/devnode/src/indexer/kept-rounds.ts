import { refused } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';

/** A text for why a block or transaction may no longer be found; empty while all blocks are kept. */
export function goneBlocks({ blocks: { oldest } }: Chain): string {
  return oldest === 0n ? '' : ` (blocks before round ${oldest} are not kept; with --archive all are)`;
}

/**
 * Refuses rounds whose blocks are gone, because a list would lack their transactions without saying so.
 * @throws DevnodeError `refused`
 */
export function requireKept(chain: Chain, ...rounds: readonly (bigint | undefined)[]): void {
  const gone = rounds.find((round) => round !== undefined && round < chain.blocks.oldest);
  if (gone !== undefined) throw refused(`round ${gone} is not known${goneBlocks(chain)}`);
}
