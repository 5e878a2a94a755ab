import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram, type Program } from '@avm402/stack/program';
import { merchant, sponsor, type BenchNode } from './node.ts';
import { profilingFlags } from './profile.ts';
import type { Wiring } from './wiring.ts';

const ours = fileURLToPath(new URL('../../packages/facilitator/bin/avm402-facilitator.js', import.meta.url));
const stock = fileURLToPath(new URL('../peers/stock-facilitator.ts', import.meta.url));

/** Our facilitator as it is installed, with its default store: a SQLite file. */
export async function startOurFacilitator(
  node: BenchNode,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  const program = await startProgram({
    name: 'avm402-facilitator',
    command: [...profilingFlags('our-facilitator'), ours],
    environment: {
      ...node.environment,
      NODE_ENV: 'production',
      AVM_PRIVATE_KEY: sponsor.privateKey,
      SPONSOR_PAY_TO: merchant.address,
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      LOG_LEVEL: 'warn',
      PORT: '0',
      ...environment,
    },
  });
  const stop = async (): Promise<number | null> => {
    const code = await program.stop();
    await rm(folder, { recursive: true, force: true });
    return code;
  };
  return { ...program, stop };
}

/** The stock packages' facilitator. It keeps no record of settlements. */
export function startStockFacilitator(node: BenchNode, wiring: Wiring): Promise<Program> {
  return startProgram({
    name: 'stock-facilitator',
    command: [...profilingFlags('stock-facilitator'), stock],
    environment: { ...node.environment, NODE_ENV: 'production', AVM_PRIVATE_KEY: sponsor.privateKey, WIRING: wiring },
  });
}
