import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFileJournal, type FileJournalOptions } from '@avm402/client/file-journal';
import { accounts } from './chain.ts';
import { asking, receipt, type Answer, type SeenPayment, type Seller } from './seller.ts';
import { useStage } from './stage.ts';

const program = fileURLToPath(new URL('pay-once.ts', import.meta.url));
const stage = useStage();
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-again-'));
  file = join(folder, 'payments.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const proofs = async (): Promise<string[]> => readdir(`${file}.proofs`).catch(() => []);

type Losing = (payment: SeenPayment) => Answer | Promise<Answer>;

/** A seller that settles each payment, and then waits with the answer to the first one until its buyer is killed. */
async function sellerThatLoses(answers: Losing = () => new Promise(() => {})): Promise<[Seller, Promise<void>]> {
  let lost = (): void => {};
  const isLost = new Promise<void>((resolve) => (lost = resolve));
  let isFirst = true;
  const seller = await stage.sellerThat(async ({ payment }) => {
    if (!payment) return asking();
    await stage.chain.settle(payment);
    if (!isFirst) return { headers: receipt(payment) };
    isFirst = false;
    lost();
    return answers(payment);
  });
  return [seller, isLost];
}

/** Pays in a process of its own and kills it (SIGKILL) when it is time. Resolves to what it printed. */
async function payUntilKilled(url: string, until: Promise<void> | 'head', ...more: string[]): Promise<string> {
  const args = [url, stage.chain.url, stage.chain.token, file, accounts.payer.privateKey, ...more];
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
  await (until === 'head' ? once(child.stdout, 'data') : until);
  child.kill('SIGKILL');
  await once(child, 'close');
  return printed;
}

/** The same request, by the next process. */
async function payAgain(url: string, options: FileJournalOptions = {}): Promise<string> {
  const journal = await openFileJournal(file, options);
  const { now = Date.now } = options;
  try {
    return await (await stage.paying({ journal, now })(url, { method: 'POST', body: 'the same' })).text();
  } finally {
    await journal.close();
  }
}

it.each<[string, Losing | undefined, string]>([
  ['before its answer came', undefined, ''],
  ['within its answer', (payment) => ({ headers: receipt(payment), slowlyMs: 60_000 }), '200 '],
])('a process that was killed %s is followed by one that sends the same payment', async (_when, lost, printed) => {
  const [seller, isLost] = await sellerThatLoses(lost);
  expect(await payUntilKilled(seller.url, lost ? 'head' : isLost)).toBe(printed);
  const [name = ''] = await proofs();
  expect(name).toBe(seller.payments()[0]);
  const modes = [(await stat(`${file}.proofs`)).mode & 0o777, (await stat(join(`${file}.proofs`, name))).mode & 0o777];
  expect(modes).toEqual([0o700, 0o600]);
  expect(await payAgain(seller.url)).toBe('{"report":"sunny"}');
  const presented = seller.seen.flatMap(({ payment }) => payment ?? []);
  expect(presented.map(({ header }) => header)).toEqual(Array.from(presented, () => presented[0]?.header));
  expect(await stage.chain.confirmed()).toHaveLength(1);
  expect(await proofs()).toEqual([]);
  // It was answered: what comes now is a new request.
  expect(await payAgain(seller.url)).toBe('{"report":"sunny"}');
  expect(await stage.chain.confirmed()).toHaveLength(2);
});

it.each(['before', 'after'])(
  'a process that was killed %s its node had seen the payment is followed by one that sends it again, however far its clock was set forward',
  async (when) => {
    const [seller, isLost] = await sellerThatLoses();
    await payUntilKilled(seller.url, isLost);
    if (when === 'after') {
      const journal = await openFileJournal(file);
      const [entry] = await journal.read();
      const txId = entry?.event === 'sent' ? entry.payment.txId : '';
      await journal.append({ event: 'confirmed', at: Date.now(), txId, round: 1n });
      await journal.close();
    }
    const year = 365 * 24 * 60 * 60_000;
    expect(await payAgain(seller.url, { now: () => Date.now() + year })).toBe('{"report":"sunny"}');
    expect(new Set(seller.payments()).size).toBe(1);
    expect(await stage.chain.confirmed()).toHaveLength(1);
    expect(await proofs()).toEqual([]);
  },
);

it('an answer that breaks off leaves its payment to the next process, though it was settled', async () => {
  const [seller] = await sellerThatLoses((payment) => ({ headers: receipt(payment), cut: 'within' }));
  await expect(payAgain(seller.url)).rejects.toThrow(TypeError);
  expect(await proofs()).toEqual(seller.payments());
  expect(await payAgain(seller.url)).toBe('{"report":"sunny"}');
  expect(seller.payments()).toHaveLength(1);
  expect(await proofs()).toEqual([]);
});

it('an answer without a receipt leaves its payment to the next process, while it is not settled', async () => {
  let isSettling = false;
  const seller = await stage.sellerThat((seen, all) => {
    return seen.payment && !isSettling ? {} : stage.honest(seen, all);
  });
  expect(await payAgain(seller.url)).toBe('{"report":"sunny"}');
  expect(await proofs()).toEqual(seller.payments());
  isSettling = true;
  expect(await payAgain(seller.url)).toBe('{"report":"sunny"}');
  expect(seller.payments()).toHaveLength(1);
  expect(await proofs()).toEqual([]);
});

it('one that keeps no proofs leaves none, and the next one pays anew', async () => {
  const [seller, isLost] = await sellerThatLoses();
  await payUntilKilled(seller.url, isLost, '--no-proofs');
  expect(await readdir(folder)).not.toContain('payments.jsonl.proofs');
  expect(await payAgain(seller.url, { keepProofs: false })).toBe('{"report":"sunny"}');
  expect(await stage.chain.confirmed()).toHaveLength(2);
});
