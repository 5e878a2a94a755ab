import { parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { createPayer, settlementOf } from '@avm402/client';
import { balancesOf, showMoved, usdc } from './balances.ts';
import { NODE_TOKEN } from './programs.ts';
import type { Stack } from './stack.ts';

const REQUESTS = 100;
const MOST_DAYS = 14;
const GRACE_MS = 1_000;

/**
 * A hundred forecasts over one channel: one deposit, a hundred signatures, one close. The chain's balances match to the
 * unit.
 */
export async function demonstrateChannel(stack: Stack): Promise<void> {
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const algod = createAlgodClient(access);
  const before = await balancesOf(algod, stack.accounts);
  const roundBefore = (await algod.status()).lastRound;
  const payer = createPayer({
    account: parseAccount(stack.accounts.payer.privateKey),
    networks: { 'algorand:*': access },
    channels: {},
  });
  const url = `${stack.weather.url}/forecast`;
  const first = await timed(() => forecast(payer.fetch, `${url}?days=1`));
  console.log(`1 request    ${first.ms.toFixed(0)} ms, with the deposit on chain: ${usdc(first.result)} charged`);
  const rest = await timed(async () => {
    let charged = 0n;
    for (let index = 1; index < REQUESTS; index++) {
      charged += await forecast(payer.fetch, `${url}?days=${1 + (index % MOST_DAYS)}`);
    }
    return charged;
  });
  const each = (rest.ms / (REQUESTS - 1)).toFixed(1);
  console.log(`${REQUESTS - 1} requests  ${each} ms each, nothing on chain: ${usdc(rest.result)} charged`);
  // The buyer asks for the close; a seller closes by itself before the expiry, or when it stops.
  for (const { id } of (await payer.channels?.list()) ?? []) await payer.channels?.close(id);
  await payer.finish(GRACE_MS);
  await showTransactions(algod, roundBefore);
  showMoved(first.result + rest.result, before, await balancesOf(algod, stack.accounts));
}

/** The charge for one forecast, in atomic units. */
async function forecast(fetchPaid: typeof fetch, url: string): Promise<bigint> {
  const response = await fetchPaid(url);
  await response.arrayBuffer();
  const charged = settlementOf(response)?.extra?.['chargedAmount'];
  if (!response.ok || typeof charged !== 'string') throw new Error(`${url} answered ${response.status}, unpaid`);
  return BigInt(charged);
}

/** Prints the groups in the chain's blocks since `since`: the deposit and the close. */
async function showTransactions(algod: AlgodClient, since: bigint): Promise<void> {
  const { lastRound } = await algod.status();
  console.log(`the seller closed the channel; blocks since then: ${lastRound - since} (the deposit, the close)`);
  if (lastRound - since !== 2n) throw new Error('a deposit and a close are two blocks');
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}
