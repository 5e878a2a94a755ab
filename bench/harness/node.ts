import { fileURLToPath } from 'node:url';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { createDevControls, type DevControls } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack';
import { startProgram, type Program } from '@avm402/stack/program';
import { profilingFlags } from './profile.ts';
import { benchAccount, payers, type Payer } from './payers.ts';

const devnode = fileURLToPath(new URL('../../packages/devnode/bin/avm402-devnode.js', import.meta.url));

/** A block at once for every submission, only when asked for, or one every so many seconds. */
export type Blocks = 'instant' | 'manual' | { readonly everySeconds: number };

/** A node that all sides share. */
export interface BenchNode {
  readonly program: Program;
  readonly url: string;
  readonly algod: AlgodClient;
  readonly controls: DevControls;
  /** Variables by which a program finds the node. */
  readonly environment: { readonly ALGOD_URL: string; readonly ALGOD_TOKEN: string };
  /** Requests answered so far, by method and route, without the question for it. */
  calls(): Promise<Record<string, number>>;
  /** Transactions confirmed so far. */
  confirmed(): Promise<number>;
  /** Groups that wait on the asynchronous backlog. */
  backlog(): Promise<number>;
  stop(): Promise<unknown>;
}

export interface NodeOptions {
  readonly blocks: Blocks;
  /** How many payers there shall be, with ALGO and USDC. */
  readonly payers: number;
}

export const merchant = benchAccount('merchant');
export const sponsor = benchAccount('sponsor');

/** The embedded node as TestNet, the only public network beside MainNet that the stock packages know. */
export function startNodeProgram(blocks: Blocks): Promise<Program> {
  const base = ['--port', '0', '--network', 'testnet', '--token', NODE_TOKEN, '--quiet'];
  return startProgram({
    name: 'avm402-devnode',
    command: [...profilingFlags('node'), devnode, ...base, ...blockFlags(blocks)],
    environment: {},
  });
}

function blockFlags(blocks: Blocks): string[] {
  if (blocks === 'instant') return [];
  return blocks === 'manual' ? ['--manual'] : ['--block-time', `${blocks.everySeconds}s`];
}

/** Starts a node and gives ALGO and USDC to its accounts. */
export async function startNode({ blocks, payers: count }: NodeOptions): Promise<BenchNode> {
  const program = await startNodeProgram(blocks);
  const { url } = program;
  const controls = createDevControls({ url, token: NODE_TOKEN });
  await endow(controls, payers(count));
  return {
    program,
    url,
    controls,
    algod: createAlgodClient({ url, token: NODE_TOKEN }),
    environment: { ALGOD_URL: url, ALGOD_TOKEN: NODE_TOKEN },
    calls: () => requestCounts(url),
    confirmed: async () => metric(await metricsOf(url), 'algod_ledger_transactions_total'),
    backlog: async () => metric(await metricsOf(url), 'algod_transaction_backlog_groups'),
    stop: () => program.stop(),
  };
}

async function endow(controls: DevControls, accounts: readonly Payer[]): Promise<void> {
  for (const { address } of [merchant, sponsor, ...accounts]) {
    await controls.fund(address, 1_000_000_000_000n);
    await controls.deal(address, TESTNET.usdcAssetId, 1_000_000_000n);
  }
}

/** The node's own count of what it answered. */
async function requestCounts(url: string): Promise<Record<string, number>> {
  const lines = (await metricsOf(url)).matchAll(
    /^algod_rest_requests_total\{method="(\w*)",route="([^"]*)",status="\d+"\} (\d+)$/gm,
  );
  const counts: Record<string, number> = {};
  for (const [, method = '', route = '', count] of lines) {
    if (route === '/metrics') continue;
    const name = `${method} ${route}`;
    counts[name] = (counts[name] ?? 0) + Number(count);
  }
  return counts;
}

function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

async function metricsOf(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  return response.text();
}
