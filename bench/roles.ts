import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { startProgram, type Program } from '@avm402/stack/program';
import { programFiles } from '@avm402/stack/programs';
import type { BenchNode } from './node.ts';

/** Who made a program: this project, or the stock packages with their best settings. */
export type Make = 'ours' | 'stock';
export const MAKES: readonly Make[] = ['ours', 'stock'];

/** The account with this name; always the same. */
function benchAccount(name: string) {
  const seed = createHash('sha256').update(`avm402 bench ${name}`).digest();
  return { address: accountFromSeed(seed).address, privateKey: encodePrivateKey(seed) };
}

export const merchant = benchAccount('merchant');
export const sponsor = benchAccount('sponsor');
/** One payer for each worker. */
export const payers = Array.from({ length: 100 }, (_, index) => benchAccount(`payer ${index}`));

/** µAlgo a day: more than any run spends. */
export const SPONSOR_BUDGET = 1_000_000_000;

const peer = (name: string): string => fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));

/** Ours keeps a record of settlements, by default in a SQLite file of its own; stock keeps none. */
export async function startFacilitator(make: Make, node: BenchNode, store?: string): Promise<Program> {
  const environment = { ...node.environment, NODE_ENV: 'production', AVM_PRIVATE_KEY: sponsor.privateKey };
  if (make === 'stock') {
    return startProgram({ name: 'stock-facilitator', command: [peer('stock-facilitator')], environment });
  }
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  const settlements = {
    SETTLEMENT_STORE: store ?? join(folder, 'settlements.sqlite'),
    SPONSOR_PAY_TO: merchant.address,
    CHANNEL_MIN_DEPOSIT: '1',
    SPONSOR_PAY_TO_BUDGET: String(SPONSOR_BUDGET),
    SPONSOR_PAYER_BUDGET: String(SPONSOR_BUDGET),
  };
  const started = await startProgram({
    name: 'avm402-facilitator',
    command: [programFiles.facilitator],
    environment: { ...environment, ...settlements, LOG_LEVEL: 'warn', PORT: '0' },
  });
  const stop = async (): Promise<number | null> => {
    const code = await started.stop();
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  return { ...started, stop };
}

/** An Express application that sells the weather over channels, too; their record is a SQLite file, by default of its own. */
export async function startChannelServer(facilitatorUrl: string, store?: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  const started = await startProgram({
    name: 'our-channel-server',
    command: [peer('our-channel-server')],
    environment: {
      NODE_ENV: 'production',
      FACILITATOR_URL: facilitatorUrl,
      AVM_ADDRESS: merchant.address,
      CHANNEL_STORE: store ?? join(folder, 'channels.sqlite'),
    },
  });
  const stop = async (): Promise<number | null> => {
    const code = await started.stop();
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  return { ...started, stop };
}

/** An Express application that sells the weather. */
export function startServer(make: Make, facilitatorUrl: string): Promise<Program> {
  const name = make === 'ours' ? 'our-server' : 'stock-server';
  const environment = { NODE_ENV: 'production', FACILITATOR_URL: facilitatorUrl, AVM_ADDRESS: merchant.address };
  return startProgram({ name, command: [peer(name)], environment });
}
