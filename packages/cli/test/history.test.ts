import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileJournal } from '@avm402/client/file-journal';
import type { JournalEntry } from '@avm402/client';
import { paymentHistory } from '../src/history.ts';
import { useStage } from '../../client/test/stage.ts';
import { environmentOn, payOn } from './pay-on.ts';
import { run, type Ran } from './run.ts';

const SENT = { event: 'sent', payment: { txId: 'T', sentAt: 0, amount: 1n } } as JournalEntry;

const stage = useStage();
const pay = payOn(stage);
const environment = environmentOn(stage);

let folder: string;
let journal: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-history-'));
  journal = join(folder, 'journal');
});
afterEach(() => rm(folder, { recursive: true }));

const avm402 = (...args: string[]): Promise<Ran> =>
  run([...args, '--journal', journal], { environment: environment() });

/** Pays twice, for two paths. */
async function paidTwice(): Promise<{ readonly url: string; readonly txIds: readonly string[] }> {
  const seller = await stage.sellerThat(stage.honest);
  for (const path of ['/first', '/second']) await pay([seller.url + path, '--journal', journal]);
  return { url: seller.url, txIds: seller.payments() };
}

describe('avm402 history', () => {
  it('counts the payments that it does not list, also if it lists none', async () => {
    await paidTwice();
    expect((await avm402('history', '--limit', '0')).stdout).toBe('… and 2 older\n');
  });

  it('lists what was paid, when, where, and what became of it, the newest first', async () => {
    const { url, txIds } = await paidTwice();
    const { code, stdout } = await avm402('history');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}\\$0.01 {5}settled {4}GET ${url}/second$`),
      ),
      `  ${txIds[1]}`,
      expect.stringContaining('/first'),
      `  ${txIds[0]}`,
    ]);
    expect((await avm402('history', '--limit', '1')).stdout).toContain('… and 1 older');
    expect(JSON.parse((await avm402('history', '--json')).stdout)).toMatchObject([{ amount: '10000' }, {}]);
  });

  it('does not call refused what was answered before its block, or by trouble', () => {
    const answered = (status: number): JournalEntry => ({
      event: 'answered',
      at: 0,
      txId: 'T',
      status,
      settled: false,
    });
    const states = [200, 503, 402].map((status) => paymentHistory([SENT, answered(status)])[0]?.state);
    expect(states).toEqual(['sent', 'sent', 'refused']);
  });

  it('can be read while another process holds the journal', async () => {
    await paidTwice();
    const held = await openFileJournal(journal);
    expect((await avm402('history')).code).toBe(0);
    expect((await avm402('budget')).code).toBe(0);
    await held.close();
  });

  it.each(['history', 'budget'])('%s without a journal says where one comes from', async (command) => {
    expect(await run([command], { environment: environment() })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--journal FILE is missing: .*avm402 pay URL --journal payments\.jsonl/s),
    });
    expect(await avm402(command)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no journal .*: avm402 pay URL --journal /),
    });
  });
});

describe('avm402 budget', () => {
  it('says what was spent, where, and what the limits still allow', async () => {
    const { url } = await paidTwice();
    const { code, stdout } = await avm402('budget', '--per-day', '$0.50', '--per-origin', '$0.05');
    expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        '60 minutes   $0.02 spent, no limit',
        '24 hours     $0.02 spent, $0.48 of $0.50 left',
        `  ${url} $0.02 spent, $0.03 of $0.05 left`,
        'next payment at most $0.48',
      ],
    });
    expect(JSON.parse((await avm402('budget', '--per-day', '$0.50', '--json')).stdout)).toMatchObject([
      { unit: 'usd', next: '480000', day: { spent: '20000', limit: '500000', left: '480000' } },
    ]);
  });

  it('needs no key', async () => {
    await paidTwice();
    const { ALGOD_URL = '', ALGOD_TOKEN = '' } = environment();
    const ran = await run(['budget', '--journal', journal], { environment: { ALGOD_URL, ALGOD_TOKEN } });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('$0.02 spent, no limit') });
  });
});
