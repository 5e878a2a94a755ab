import { X402Error } from '@avm402/core/errors';
import { formatMoney, withSeparators } from '@avm402/core/price';
import { amountValue, command } from './command/command.ts';
import { addressOf, algodOf, ENVIRONMENT_HELP } from './options/environment.ts';
import { devControl } from './node/dev-control.ts';
import { networkOf } from './node/node-network.ts';
import type { Terminal } from './command/terminal.ts';
import { inAlgo } from './words/node-amount.ts';

const help = `Usage: avm402 fund [ADDRESS] [options]

Gives an account free ALGO and USDC, on a development node (avm402-devnode) only. Without ADDRESS, the account of the
environment.

      --algo AMOUNT       ALGO (default 10; 0: none)
      --usdc AMOUNT       USDC (default 10; 0: none); the account is opted in

${ENVIRONMENT_HELP}`;

const DECIMALS = 6;
const DEFAULT_AMOUNT = '10';

export const fund = command({
  summary: 'give an account ALGO and USDC, on a development node',
  help,
  options: { algo: { type: 'string' }, usdc: { type: 'string' } },
  positionals: ['[ADDRESS]'],
  async run(values, terminal, named) {
    const address = addressOf(named, 'fund', terminal.environment);
    const [algo, usdc] = [amountOf('--algo', values.algo), amountOf('--usdc', values.usdc)];
    const { usdc: asset } = await networkOf(algodOf(terminal.environment));
    if (algo > 0n) {
      await give(terminal, `/dev/fund/${address}?amount=${algo}`);
      terminal.print(`${address} got ${inAlgo(algo)} ALGO`);
    }
    if (usdc > 0n && asset !== undefined) {
      await give(terminal, `/dev/deal/${address}?asset-id=${asset}&amount=${usdc}`);
      terminal.print(`${address} got ${withSeparators(formatMoney(usdc, DECIMALS))} in USDC (asset ${asset})`);
    }
    return {};
  },
});

/** Atomic units; 0 for none. */
function amountOf(name: string, text = DEFAULT_AMOUNT): bigint {
  return text === '0' ? 0n : amountValue(name, text, { decimals: DECIMALS, example: '1.5' });
}

async function give(terminal: Terminal, route: string): Promise<void> {
  const response = await devControl(terminal, 'POST', route);
  if (response.ok) return;
  const why =
    response.status === 404
      ? 'it has no developer controls, as only a development node has'
      : `it answered ${response.status}`;
  const { host } = new URL(algodOf(terminal.environment).url);
  throw new X402Error('request_failed', { message: `the node at ${host} can't fund an account: ${why}` });
}
