import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { JournalEntry } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { accounts, startChain } from './chain.ts';
import { seededRandom } from './random.ts';
import { asking, receipt, startSeller } from './seller.ts';

const program = fileURLToPath(new URL('pay-until-killed.ts', import.meta.url));

export interface KillRun {
  readonly debits: number;
  /** Payments that left. */
  readonly left: number;
}

/**
 * Kills a paying process (SIGKILL) again and again. After each kill the journal is whole; in the end the blocks hold no
 * debit that it does not explain, and no more than the budget.
 */
export async function killPayingProcess(kills: number, perDay: string): Promise<KillRun> {
  const random = seededRandom(kills);
  const chain = await startChain();
  const seller = await startSeller(async ({ payment }) => {
    if (!payment) return asking();
    await chain.settle(payment);
    return { headers: receipt(payment) };
  });
  const folder = await mkdtemp(join(tmpdir(), 'avm402-kill-'));
  const file = join(folder, 'payments.jsonl');
  let entries: readonly JournalEntry[] = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const args = [seller.url, chain.url, chain.token, file, accounts.payer.privateKey, perDay];
      const child = spawn(process.execPath, [program, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await lines(child.stdout, random.below(5));
      await new Promise((resolve) => setTimeout(resolve, random.below(20)));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const journal = await openFileJournal(file);
      const read = await journal.read();
      await journal.close();
      expect(read.slice(0, entries.length)).toEqual(entries);
      entries = read;
    }
    const debited = await chain.confirmed();
    const left = new Map(
      entries.flatMap((one) => (one.event === 'sent' ? [[one.payment.txId, one.payment.amount]] : [])),
    );
    for (const txId of debited) expect(left.has(txId), `${txId} is in the journal`).toBe(true);
    const spent = debited.reduce((sum, txId) => sum + (left.get(txId) ?? 0n), 0n);
    expect(spent).toBeLessThanOrEqual(BigInt(Number(perDay.slice(1)) * 1_000_000));
    return { debits: debited.length, left: left.size };
  } finally {
    await seller.stop();
    await chain.stop();
    await rm(folder, { recursive: true });
  }
}

/** Waits until a process has printed some lines: one when it begins, and one a request. */
async function lines(stream: Readable, count: number): Promise<void> {
  for (let seen = 0; seen <= count;) {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    seen += chunk.toString().split('\n').length - 1;
  }
}
