import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { startProgram, type Program } from '@avm402/stack/program';
import { programFiles } from '@avm402/stack/programs';
import { merchant, sponsor } from './accounts.ts';
import type { BenchNode } from './node.ts';
import type { Bench } from '../scenario.ts';

/** The maker of a program: this project, or the stock packages with their best settings. */
export type Make = 'ours' | 'stock';
export const MAKES: readonly Make[] = ['ours', 'stock'];

/** µAlgo a day: more than any run spends. */
const BUDGETS = { SPONSOR_PAY_TO_BUDGET: '1000000000000', SPONSOR_PAYER_BUDGET: '1000000000000' };

/** Starts a program of `peers`, as it is installed. */
export function startPeer(name: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  const command = [fileURLToPath(new URL(`../peers/${name}.ts`, import.meta.url))];
  const always = { NODE_ENV: 'production', AVM_ADDRESS: merchant.address, NETWORK: ALGORAND_TESTNET };
  return startProgram({ name, command, environment: { ...always, ...environment } });
}

/** Starts a facilitator. Ours keeps a record of settlements in a SQLite file in that folder; stock keeps none. */
export function startFacilitator(make: Make, node: BenchNode, folder: string): Promise<Program> {
  const environment = { ...node.environment, NODE_ENV: 'production', AVM_PRIVATE_KEY: sponsor.privateKey };
  if (make === 'stock') return startPeer('stock-facilitator', environment);
  const ours = { SETTLEMENT_STORE: join(folder, 'settlements.sqlite'), LOG_LEVEL: 'warn', PORT: '0' };
  const sponsoring = { SPONSOR_PAY_TO: merchant.address, CHANNEL_MIN_DEPOSIT: '1', ...BUDGETS };
  return startProgram({
    name: 'avm402-facilitator',
    command: [programFiles.facilitator],
    environment: { ...environment, ...ours, ...sponsoring },
  });
}

/** Starts an Express application that sells the weather. */
export function startServer(make: Make, facilitatorUrl: string): Promise<Program> {
  return startPeer(`${make}-server`, { FACILITATOR_URL: facilitatorUrl });
}

/** Starts an Express application that sells the weather also over channels; it keeps what they owe in a SQLite file in that folder. */
export function startChannelServer(facilitatorUrl: string, folder: string): Promise<Program> {
  const environment = { FACILITATOR_URL: facilitatorUrl, CHANNEL_STORE: join(folder, 'channels.sqlite') };
  return startPeer('ours-channel-server', environment);
}

/** A seller: its URL and its processes. */
export interface Shop {
  readonly url: string;
  readonly pids: readonly number[];
}

/** Starts a server and a facilitator of one make. */
export async function openShop(bench: Bench, make: Make, node: BenchNode): Promise<Shop> {
  const facilitator = await bench.own(startFacilitator(make, node, await bench.folder()));
  const { url, pid } = await bench.own(startServer(make, facilitator.url));
  return { url, pids: [pid, facilitator.pid] };
}

/** Settings of our client: it pays with the first message where it has paid before. */
export const PREEMPTING = { PREEMPT: 'true' };

/** Settings of our client: one deposit pays for a million requests, so that what is measured are vouchers. */
export const BY_CHANNEL = { ...PREEMPTING, DEPOSIT_MULTIPLE: '1000000' };

/** Starts a server that sells over channels, and its facilitator. */
export async function openChannelShop(bench: Bench, node: BenchNode): Promise<Shop> {
  const facilitator = await bench.own(startFacilitator('ours', node, await bench.folder()));
  const { url, pid } = await bench.own(startChannelServer(facilitator.url, await bench.folder()));
  return { url, pids: [pid, facilitator.pid] };
}

/** Starts our server with the facilitator in its process. */
export async function openShopInOneProcess(bench: Bench, node: BenchNode): Promise<Shop> {
  const store = { SETTLEMENT_STORE: join(await bench.folder(), 'settlements.sqlite') };
  const environment = { ...node.environment, ...store, AVM_PRIVATE_KEY: sponsor.privateKey, ...BUDGETS };
  const { url, pid } = await bench.own(startPeer('ours-seller-alone', environment));
  return { url, pids: [pid] };
}
