import type { Devnode, DevnodeOptions } from './start-devnode.ts';
import { packageVersion } from './version.ts';

/** What the program prints when it starts: the named accounts with their public development keys, the chain, the token. */
export function banner(node: Devnode, { blocks = 'instant', strict = false, auth = true }: DevnodeOptions): string {
  return [
    `avm402-devnode ${packageVersion()}: an Algorand node for development, with algod’s REST interface`,
    '',
    ...accountLines(node),
    `Genesis   ${node.genesisId}, hash ${node.genesisHash}`,
    `Blocks    ${blocksText(blocks)}${strict ? ', strictly as algod’s dev mode' : ''}`,
    `Token     ${auth ? node.token : 'none needed'}`,
    '',
  ].join('\n');
}
