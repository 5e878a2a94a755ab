import type { DevelopmentAccount } from './genesis/development-accounts.ts';
import { DEVELOPMENT_USDC } from './dev/development-usdc.ts';
import type { BlockProduction } from './production/block-producer.ts';
import type { Devnode, DevnodeOptions } from './start-devnode.ts';
import { packageVersion } from './version.ts';

/** The text that the program prints at its start: the named accounts with their public keys, the chain, the token. */
export async function banner(node: Devnode, options: DevnodeOptions): Promise<string> {
  const { blocks = 'instant', strict = false, auth = true, data } = options;
  const { paused } = await node.state();
  return [
    `avm402-devnode ${packageVersion()}: an Algorand node for development, with algod’s REST interface`,
    '',
    ...(node.hasNamedAccounts ? accountLines(node) : []),
    `Genesis   ${node.genesisId}, hash ${node.genesisHash}`,
    ...(data === undefined ? [] : [`Chain     in ${data}, at block ${node.latestRound}`]),
    `Blocks    ${paused ? PAUSED : blocksText(blocks, strict)}`,
    `Token     ${auth ? node.token : `needed only by the controls under /dev: ${node.token}`}`,
    ...(node.kmdUrl === undefined ? [] : [`KMD       ${node.kmdUrl}, with the token`]),
    ...(node.indexerUrl === undefined ? [] : [`Indexer   ${node.indexerUrl}`]),
    '',
  ].join('\n');
}

function accountLines(node: Devnode): string[] {
  return [
    'Accounts, the same in every run. Their keys are PUBLIC DEVELOPMENT KEYS: anyone can take what is sent to them on a',
    `real network. USDC here is asset ${DEVELOPMENT_USDC}.`,
    '',
    ...Object.values(node.accounts).flatMap((account) => [...oneAccount(node, account), '']),
  ];
}

function oneAccount(node: Devnode, { name, address, mnemonic, privateKey }: DevelopmentAccount): string[] {
  const { microAlgos, assets } = node.balance(address);
  const usdc = assets.get(DEVELOPMENT_USDC);
  const holds = `${whole(microAlgos)} ALGO${usdc === undefined ? '' : `, ${whole(usdc)} USDC`}`;
  return [name, `  address ${address}`, `  holds   ${holds}`, `  words   ${mnemonic}`, `  key     ${privateKey}`];
}

/** An amount with six decimals as text, e.g. `1,000,000` or `0.5`. */
function whole(amount: bigint): string {
  const fraction = String(amount % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const integer = (amount / 1_000_000n).toLocaleString('en-US');
  return fraction === '' ? integer : `${integer}.${fraction}`;
}

/** Shown for a chain that was paused when it was last kept. */
const PAUSED = 'paused: POST /dev/mine makes one, POST /dev/resume goes on';

function blocksText(blocks: BlockProduction, strict: boolean): string {
  if (blocks === 'manual') return 'only by POST /dev/mine';
  if (typeof blocks === 'object') return `one every ${blocks.everyMs} ms`;
  if (!strict) return 'one at once for what is submitted; transactions share blocks while some are about to expire';
  return 'one at once for each submission, as in algod’s dev mode: if many payments valid for ten rounds arrive together, some expire';
}
