// A node that is killed again and again, under load, on one data directory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '@avm402/algorand/address';
import { encodeBase32 } from '@avm402/algorand/base32';
import { DevelopmentNode } from '../../src/development-node.ts';
import { DataDirectory } from '../../src/durable/data-directory.ts';
import { callUntilDead, Told } from './callers.ts';
import { startProgram } from './running-program.ts';

export interface KillRun {
  /** Processes that a SIGKILL ended. */
  readonly kills: number;
  /** Those among them that did not listen yet. */
  readonly whileStarting: number;
  /** Writes that were cut off, and taken out. */
  readonly repairs: number;
  /** What was answered. */
  readonly payments: number;
  readonly gifts: number;
  /** Every loss, in words. */
  readonly losses: readonly string[];
}

/** Every so many lives, the node is killed before it listens. */
const STARTING = 5;
/** Every so many lives, blocks are mined until a snapshot falls due. */
const SNAPSHOT = 20;

export async function killAgainAndAgain(kills: number, random: () => number): Promise<KillRun> {
  const folder = mkdtempSync(join(tmpdir(), 'devnode-kills-'));
  const told = new Told();
  const run = { kills: 0, whileStarting: 0, repairs: 0 };
  const losses: string[] = [];
  try {
    for (let life = 0; life < kills; life++) {
      const program = startProgram('--port', '0', '--quiet', '--data', folder);
      const isStarting = life % STARTING === STARTING - 1;
      const url = isStarting ? undefined : await program.listening;
      const calls = url === undefined ? undefined : callUntilDead(url, told, life % SNAPSHOT === 1 ? 10_000 : 5);
      if (calls !== undefined) await answered(told);
      await sleep(random() * (isStarting ? 500 : 200));
      const { signal, said } = await program.kill();
      await calls;
      if (signal === 'SIGKILL') run.kills++;
      else losses.push(`life ${life} ended by itself: ${said}`);
      if (isStarting) run.whileStarting++;
      const { forgotten, notices } = await check(folder, told);
      run.repairs += notices.length;
      losses.push(...forgotten);
    }
    return { ...run, payments: told.payments.size, gifts: told.gifts.size, losses };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resolves when another payment has been answered. */
async function answered(told: Told): Promise<void> {
  for (const { size } = told.payments; told.payments.size === size;) await sleep(2);
}

/** Starts a node on the directory, and asks it for everything that was told. */
async function check(folder: string, told: Told): Promise<{ forgotten: string[]; notices: string[] }> {
  const notices: string[] = [];
  const data = await DataDirectory.open(folder, (text) => void notices.push(text));
  try {
    const node = new DevelopmentNode({ data });
    const forgotten = forgottenBy(node, told);
    node.close();
    return { forgotten, notices };
  } finally {
    await data.close();
  }
}

/** What a node does not know any more of what was told, or knows otherwise. */
function forgottenBy({ queries }: DevelopmentNode, told: Told): string[] {
  const rounds = queries.latestRound < told.latestRound ? [`round ${told.latestRound}`] : [];
  const times = timesOf(queries);
  const payments = [...told.payments].filter((id) => times.get(id) !== 1).map((id) => `payment ${id}`);
  const gifts = [...told.gifts].filter(([address, microAlgos]) => {
    const { account } = queries.account(parseAddress(address));
    return Number(account.microAlgos) !== microAlgos;
  });
  const blocks = [...told.blocks].filter(([round, hash]) => {
    const found = queries.blockHash(BigInt(round));
    return found === undefined || encodeBase32(found) !== hash;
  });
  return [
    ...rounds,
    ...payments,
    ...gifts.map(([address]) => `gift to ${address}`),
    ...blocks.map(([round]) => `block ${round}`),
  ];
}

/** In how many blocks each transaction is. */
function timesOf(queries: DevelopmentNode['queries']): Map<string, number> {
  const times = new Map<string, number>();
  for (let round = 1n; round <= queries.latestRound; round++) {
    for (const id of queries.blockTransactionIds(round) ?? []) times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}
