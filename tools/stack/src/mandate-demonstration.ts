import { createAlgodClient } from '@avm402/algorand/algod';
import { createPayer } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { usdc, usdcOf } from './balances.ts';
import { openMandate } from './open-mandate.ts';
import { NODE_TOKEN } from './programs.ts';
import type { Stack } from './stack.ts';

const PRICE = 10_000n;
const SLOTS = 10n;
const FUNDS = 500_000n;

/**
 * An agent pays from a mandate that allows $0.10 a window. An attacker with the agent's key tries more and is stopped by the
 * chain; the owner takes the rest back with one signature.
 */
export async function demonstrateMandate(stack: Stack): Promise<void> {
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const { mandate, agentKey, end } = await openMandate(access, { slots: SLOTS, funds: FUNDS, cap: PRICE });
  console.log(
    `the owner funds a mandate with ${usdc(FUNDS)}: at most ${SLOTS} payments of ${usdc(PRICE)} in 500 rounds`,
  );
  const payer = () => createPayer({ mandate, agentKey, networks: { 'algorand:*': access } });
  const url = `${stack.weather.url}/weather`;
  const agent = payer();
  for (let paid = 0n; paid < SLOTS; paid += 1n) await bought(agent.fetch, url);
  console.log(`its agent pays ${SLOTS} × ${usdc(PRICE)} with a key that holds nothing`);
  // A thief has the key, and none of the agent's own limits.
  const stopped = await bought(payer().fetch, url).catch((error: unknown) => error);
  if (!isX402Error(stopped, 'mandate_exhausted')) throw new Error('the chain let the agent’s key pay more');
  console.log(`who steals that key is stopped by the chain: ${stopped.code}`);
  const rest = await usdcOf(createAlgodClient(access), mandate.address);
  await end();
  console.log(`the owner takes ${usdc(rest)} back with one signature`);
}

async function bought(fetchPaid: typeof fetch, url: string): Promise<void> {
  const response = await fetchPaid(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
