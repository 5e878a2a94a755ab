import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createAlgodClient } from '@avm402/algorand/algod';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import { balancesOf, showMoved } from './balances.ts';
import { demonstrateChannel } from './channel-demonstration.ts';
import { demonstrateMandate } from './mandate-demonstration.ts';
import { demonstrateEarlyAnswer } from './early-answer-demonstration.ts';
import { NODE_TOKEN, programFiles } from './programs.ts';
import { FACILITATOR_PORT, NODE_PORT, startStack, WEATHER_PORT, type Stack } from './stack.ts';

/** Atomic units of USDC. */
const PRICE = 10_000n;
const wanted = { node: NODE_PORT, facilitator: FACILITATOR_PORT, weather: WEATHER_PORT };

function heading(text: string): void {
  console.log(`\n── ${text} ${'─'.repeat(Math.max(3, 100 - text.length))}`);
}

async function showUnpaid(url: string): Promise<void> {
  heading(`GET ${url} without payment`);
  const response = await fetch(url);
  console.log(`HTTP ${response.status} ${response.statusText}`);
  const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
  if (response.status !== 402 || header === null) throw new Error('the unpaid request was not answered with an offer');
  console.log(`${PAYMENT_REQUIRED_HEADER.toLowerCase()}, decoded:`);
  console.log(JSON.stringify(decodePaymentRequiredHeader(header), null, 2));
}

/** Pays as a user does, by the command `avm402 pay` in a process of its own. */
async function pay(url: string, stack: Stack, privateKey: string): Promise<void> {
  heading(`avm402 pay ${url}`);
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [programFiles.client, 'pay', url], {
    env: { PATH, HOME, AVM_PRIVATE_KEY: privateKey, ALGOD_URL: stack.node.url, ALGOD_TOKEN: NODE_TOKEN },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`avm402 pay exited with ${String(code)}`);
}

async function demonstrate(stack: Stack): Promise<void> {
  const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const before = await balancesOf(algod, stack.accounts);
  const url = `${stack.weather.url}/weather`;
  await showUnpaid(url);
  await pay(url, stack, stack.accounts.payer.privateKey);
  const after = await balancesOf(algod, stack.accounts);
  heading('balances on chain');
  showMoved(PRICE, before, after);
  heading('blocks of 2.8 s: an answer after the payment’s block, and one before it');
  await demonstrateEarlyAnswer(stack);
  heading(`100 × GET ${stack.weather.url}/forecast over one channel`);
  await demonstrateChannel(stack);
  heading(`GET ${url} by an agent that may spend $0.10`);
  await demonstrateMandate(stack);
}

async function main(): Promise<void> {
  console.log('Starting an Algorand node, a facilitator and a weather server that charges $0.01 …');
  const starting = startStack({
    ports: wanted,
    onReady: ({ name, url }) => {
      const wantedPort =
        { 'avm402-devnode': wanted.node, 'avm402-facilitator': wanted.facilitator }[name] ?? wanted.weather;
      const moved = new URL(url).port === String(wantedPort) ? '' : `  (port ${wantedPort} is taken)`;
      console.log(`  ${name.padEnd(18)} ${url}${moved}`);
    },
  });
  // An interrupt stops everything that was started by then.
  const interrupt = (): void => void starting.then((stack) => stack.stop()).finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const stack = await starting;
  try {
    await demonstrate(stack);
  } finally {
    await stack.stop();
  }
  heading('done');
  console.log(
    'Real requests were paid on a real ledger; everything is stopped. Next: npm run dev, then npx avm402 pay.',
  );
}

try {
  await main();
} catch (error) {
  console.error(`npm start failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
