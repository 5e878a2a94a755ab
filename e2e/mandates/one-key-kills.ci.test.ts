import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { readFileJournal } from '@avm402/client/file-journal';
import { createSeller } from '@avm402/server';
import { paymentMiddleware } from '@avm402/server/express';
import { usdcOf } from '@avm402/stack/balances';
import { confirmedRound, openMandate } from '@avm402/stack/open-mandate';
import { startLaggingNode } from '../chaos/lagging-node.ts';
import { openMarket } from '../market.ts';

const PRICE = 10_000n;
const FUNDS = 1_000_000n;
const SLOTS = 6;
const PURCHASES = 3;
const WAVES = 2;
const LATEST_KILL_MS = 60;
const TXID = /^[A-Z2-7]{52}$/;
const program = fileURLToPath(new URL('agent-process.ts', import.meta.url));

interface Access {
  readonly url: string;
  readonly token: string;
}

it('processes with one agent’s key that are killed and start again pay each purchase once, whatever they know of each other', async () => {
  await using closing = new AsyncDisposableStack();
  const market = closing.use(await openMarket({}, { blocks: { everyMs: 250 } }));
  const access = { url: market.node.url, token: market.node.token };
  const lagging = await startLaggingNode(access.url, 1n);
  closing.defer(() => lagging.stop());
  const late = { ...access, url: lagging.url };
  const folder = await mkdtemp(join(tmpdir(), 'avm402-one-key-'));
  closing.defer(() => rm(folder, { recursive: true }));
  const algod = createAlgodClient(access);
  const sold = await usdcOf(algod, market.accepts.payTo);
  const { mandate } = await openMandate(access, { slots: BigInt(SLOTS), funds: FUNDS });
  const seller = createSeller({ server: market.resourceServer() });
  let presented = 0;
  const shop = await market.open(
    express()
      .use((request, _response, next) => {
        if (request.headers['payment-signature'] !== undefined) presented++;
        next();
      })
      .use(paymentMiddleware(seller.pricedRoutes({ 'GET /joke': { accepts: market.accepts } })))
      .get('/joke', (_request, response) => void setTimeout(() => response.json('sold'), 20)),
  );
  const start = (name: string, node: Access, journal: string) => {
    const args = [
      program,
      shop,
      node.url,
      node.token,
      JSON.stringify(mandate),
      String(PURCHASES),
      name,
      join(folder, journal),
    ];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
    const over = once(child, 'close').then(() => (printed === '' ? [] : (JSON.parse(printed) as string[])));
    return { child, over };
  };
  const agents: readonly (readonly [string, Access, string])[] = [
    ['one', access, 'one.jsonl'],
    ['two', late, 'two.jsonl'],
    // Two with one journal: one of them holds it.
    ['three', access, 'shared.jsonl'],
    ['four', late, 'shared.jsonl'],
  ];
  for (let wave = 0; wave < WAVES; wave++) {
    const running = agents.map((agent) => start(...agent));
    // Every handler may have run in the first wave: payments that were not answered then are presented again.
    const before = presented;
    await expect.poll(() => presented, { timeout: 20_000, interval: 1 }).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LATEST_KILL_MS));
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ over }) => over));
  }
  const [fourth, ...others] = agents.toReversed();
  const outcomes = await Promise.all(others.map((agent) => start(...agent).over));
  // It waits for the journal no longer than it was told.
  if (fourth !== undefined) outcomes.push(await start(...fourth).over);
  // A killed process has the answers that it got in its journal.
  const journals = [...new Set(agents.map(([, , journal]) => join(folder, journal)))];
  const entries = (await Promise.all(journals.map((path) => readFileJournal(path)))).flat();
  const answered = entries.flatMap((entry) => (entry.event === 'answered' && entry.settled ? entry.txId : []));
  const paid = outcomes.flat().filter((one) => TXID.test(one));
  expect(new Set(outcomes.flat().filter((one) => !TXID.test(one)))).toEqual(new Set(['mandate_exhausted']));
  expect(new Set(paid).size).toBe(paid.length);
  expect([new Set(answered).size, answered]).toEqual([SLOTS, expect.arrayContaining(paid)]);
  for (const txId of answered) expect(await confirmedRound(algod, txId)).toBeGreaterThan(0n);
  // Each payment on chain was told to one process, and no other left the account.
  expect(await usdcOf(algod, mandate.address)).toBe(FUNDS - PRICE * BigInt(SLOTS));
  expect(await usdcOf(algod, market.accepts.payTo)).toBe(sold + PRICE * BigInt(SLOTS));
}, 90_000);
