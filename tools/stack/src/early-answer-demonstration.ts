import { parseAccount } from '@avm402/algorand/account';
import { createPayer, settlementOf } from '@avm402/client';
import { createDevControls } from '@avm402/devnode';
import { NODE_TOKEN } from './programs.ts';
import type { Stack } from './stack.ts';

/** The time between blocks, as on Algorand's public networks. */
const BLOCK_MS = 2_800;
const LONGEST_WAIT_MS = 3 * BLOCK_MS;

/** Two routes on blocks of 2.8 s: one answers after the payment's block, the other before it. */
export async function demonstrateEarlyAnswer(stack: Stack): Promise<void> {
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const node = createDevControls(access);
  let isInBlock: () => void = () => {};
  const inBlock = new Promise<void>((resolve) => {
    isInBlock = resolve;
  });
  const payer = createPayer({
    account: parseAccount(stack.accounts.payer.privateKey),
    networks: { 'algorand:*': access },
    onOutcome: (_payment, { state }) => state === 'confirmed' && isInBlock(),
  });
  await node.pause();
  // A stack that ends meanwhile has no node to ask any more.
  const blocks = setInterval(() => void node.mine().catch(() => {}), BLOCK_MS);
  try {
    for (const path of ['/weather', '/nowcast']) await buy(payer.fetch, stack.weather.url, path);
    const start = performance.now();
    await Promise.race([inBlock, overdue()]);
    console.log(`              its payment is in a block ${(performance.now() - start).toFixed(0)} ms later`);
  } finally {
    clearInterval(blocks);
    await node.resume();
    await payer.finish(0);
  }
}

/** Buys once, and shows how long that took and what the receipt says. */
async function buy(fetchPaid: typeof fetch, url: string, path: string): Promise<void> {
  const start = performance.now();
  const response = await fetchPaid(url + path);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  const { success, errorReason = '' } = settlementOf(response) ?? {};
  const receipt = success ? 'settled' : errorReason;
  console.log(`GET ${path.padEnd(9)} ${(performance.now() - start).toFixed(0)} ms, its receipt says ${receipt}`);
}

function overdue(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('the payment did not get into a block')), LONGEST_WAIT_MS).unref();
  });
}
