import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@avm402/stack/program';
import type { Side } from './compare.ts';

export const MEBIBYTE = 2 ** 20;
const PAGE_BYTES = 4096;

export interface Starter {
  /** Asked for first. */
  readonly path: string;
  readonly start: () => Promise<Program>;
}

/** Measures a program from its start to its first answer, and the memory that is resident half a second later. */
export async function runStart({ path, start }: Starter): ReturnType<Side['run']> {
  const begin = performance.now();
  const program = await start();
  try {
    const response = await fetch(`${program.url}${path}`);
    await response.arrayBuffer();
    const ms = performance.now() - begin;
    await sleep(500);
    const errors = response.ok ? {} : { [`HTTP ${response.status}`]: 1 };
    const figures = { 'resident MiB': residentBytes(program.pid) / MEBIBYTE };
    return { operations: 1, errors, seconds: ms / 1000, latenciesMs: [ms], figures };
  } finally {
    await program.stop();
  }
}

/** The second field of proc_pid_statm(5): pages in memory. */
function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
}
