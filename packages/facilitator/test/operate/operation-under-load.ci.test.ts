import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqliteLedger, type Settlement } from '../../src/index.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { KEY } from '../harness.ts';
import { killPrograms, logOf, type Run, run, urlOf } from '../program.ts';

const PAYMENTS = 300;
let h: DevnodeHarness;
let folder: string;

beforeAll(async () => {
  h = await DevnodeHarness.start({ node: { blocks: { everyMs: 200 } } });
  folder = await mkdtemp(join(tmpdir(), 'avm402-load-'));
});

afterAll(async () => {
  killPrograms();
  await h.stop();
  await rm(folder, { recursive: true });
});

async function rowsOf(file: string): Promise<readonly Settlement[]> {
  const ledger = openSqliteLedger(file);
  const rows = await ledger.list({ limit: 1_000 });
  ledger.close();
  return rows;
}

const isConfirmed = ({ state }: Settlement): boolean => state === 'confirmed';

/** The payments whose end is in a program's log. */
const endedOf = (program: Run): string[] =>
  logOf(program)
    .filter(({ msg }) => msg === 'settlement ended')
    .map(({ transaction }) => String(transaction));

it('under load it is measured, copied and killed; nothing is lost, and each payment is in the log once', async () => {
  const store = join(folder, 'settlements.sqlite');
  const environment = {
    PORT: '0',
    ALGOD_URL: h.devnode.url,
    ALGOD_TOKEN: h.devnode.token,
    AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
    SETTLEMENT_STORE: store,
  };
  const first = run(environment);
  let url = await urlOf(first);
  const payments = await Promise.all(Array.from({ length: PAYMENTS }, () => h.pay()));
  const settled = new Set<string>();

  /** As our server does: again with the same key, until there is an answer. */
  async function settle(index: number): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `${KEY}${index}` };
    const body = JSON.stringify({ paymentPayload: payments[index], paymentRequirements: h.requirements() });
    for (;;) {
      const answer = await fetch(`${url}/settle`, { method: 'POST', headers, body })
        .then(async (response) => (await response.json()) as { success?: boolean; transaction?: string })
        .catch(() => ({ success: false, transaction: '' }));
      if (answer.success === true) return void settled.add(answer.transaction ?? '');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const all = Promise.all(payments.map((_, index) => settle(index)));
  await eventually(() => settled.size > 20, 30_000);
  const answered = new Set(settled);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^avm402_settlements_total\{outcome="confirmed"\} [1-9]/m);
  const copy = join(folder, 'copy.sqlite');
  expect(await run(environment, 'backup', copy).exited).toEqual([0, null]);
  first.child.kill('SIGKILL');
  await first.exited;
  const confirmedAtKill = new Set((await rowsOf(store)).filter(isConfirmed).map(({ txId }) => txId));
  const second = run(environment);
  url = await urlOf(second);
  await all;

  expect(settled.size).toBe(PAYMENTS);
  const rows = await rowsOf(store);
  expect(new Set(rows.map(({ txId }) => txId))).toEqual(settled);
  expect(rows.filter((row) => !isConfirmed(row))).toEqual([]);

  const [before, after] = [endedOf(first), endedOf(second)];
  // The kill may come between a row's last write and its line: such a payment has none. No payment has two.
  expect(new Set([...before, ...after]).size).toBe(before.length + after.length);
  expect(before.filter((txId) => !confirmedAtKill.has(txId))).toEqual([]);
  expect([...answered].filter((txId) => !before.includes(txId))).toEqual([]);
  expect(new Set(after)).toEqual(new Set([...settled].filter((txId) => !confirmedAtKill.has(txId))));

  const restored = await urlOf(run({ ...environment, SETTLEMENT_STORE: copy }));
  const known = await rowsOf(copy);
  expect(known.length).toBeGreaterThan(20);
  for (const { txId } of known) {
    await eventually(async () => {
      const status = (await (await fetch(`${restored}/settlements/${txId}`)).json()) as { state: string };
      return status.state === 'confirmed';
    });
  }
});
