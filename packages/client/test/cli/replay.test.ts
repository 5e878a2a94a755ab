import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId, type Transaction } from '@avm402/algorand/transaction';
import { encodeReplay, type Replay } from '@avm402/core/replay';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'avm402-replay-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A payment of a millionth of an ALGO that a program signs, which asks that it is less than ten. */
let recorded: Replay;
let emptyLedger: string;

async function assembled(node: Devnode, source: string): Promise<{ program: Uint8Array; sender: string }> {
  const headers = { 'X-Algo-API-Token': node.token };
  const answer = await fetch(`${node.url}/v2/teal/compile`, { method: 'POST', headers, body: source });
  const { hash: sender, result } = (await answer.json()) as { readonly hash: string; readonly result: string };
  return { program: Uint8Array.from(Buffer.from(result, 'base64')), sender };
}

beforeAll(async () => {
  const node = await startDevnode({ port: 0 });
  const { program, sender } = await assembled(node, '#pragma version 8\ntxn Amount\nint 10\n<\n');
  emptyLedger = gzipSync(await node.dump()).toString('base64');
  await node.fund(sender, 1_000_000n);
  const txn: Transaction = {
    type: 'pay',
    sender,
    receiver: node.accounts.merchant.address,
    amount: 1n,
    fee: 1000n,
    firstValid: 1n,
    lastValid: 1000n,
    genesisHash: Uint8Array.from(Buffer.from(node.genesisHash, 'base64')),
    genesisId: node.genesisId,
  };
  const signed = encodeSignedTransaction({ txn, logicSignature: encodeMsgpack({ l: program }) });
  recorded = {
    format: 'avm402-replay',
    version: 1,
    asked: 'GET /news',
    outcome: 'settled',
    transaction: transactionId(txn),
    checks: [{ check: 'signature', outcome: 'passed' }],
    messages: [
      { direction: 'sent', line: 'GET news.example/news', headers: { 'PAYMENT-SIGNATURE': '{"x402Version":2}' } },
    ],
    group: [Buffer.from(signed).toString('base64')],
    ledger: { round: Number(node.latestRound), state: gzipSync(await node.dump()).toString('base64') },
  };
  await node.stop();
});

describe('avm402 replay', () => {
  it('runs a payment again from the ledger before it, with each step of its program', async () => {
    const { code, stdout } = await run(['replay', file('payment.json', encodeReplay(recorded))]);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      `recorded    GET /news: settled ${recorded.transaction}`,
      'sent        GET news.example/news',
      '            PAYMENT-SIGNATURE: {"x402Version":2}',
      'checked     signature: passed',
      'ledger      as it was after round 1',
      'group       1 transactions',
      expect.stringMatching(/^program {5}of transaction 1: \d instructions, cost \d$/),
      expect.stringMatching(/^ +\d+ {2}txn Amount +1$/),
      expect.stringMatching(/^ +\d+ {2}pushint 10 +10$/),
      expect.stringMatching(/^ +\d+ {2}< +1$/),
      `again       confirmed in round 2: ${recorded.transaction}`,
      '',
    ]);
    expect(code).toBe(0);
  });

  it('says so when it ends otherwise than it did', async () => {
    const poorer = { ...recorded, ledger: { round: 0, state: emptyLedger } };
    const { code, stdout } = await run(['replay', file('poorer.json', encodeReplay(poorer))]);
    expect(stdout).toMatch(/^again {7}refused: .*overspend/m);
    expect(code).toBe(1);
  });

  it('shows a payment whose ledger nobody kept, and runs nothing', async () => {
    const { ledger: _, ...shown } = recorded;
    const { code, stdout } = await run(['replay', file('shown.json', encodeReplay(shown))]);
    expect(stdout).toContain('again       not run');
    expect(code).toBe(0);
  });

  it('tells of the same as JSON', async () => {
    const { stdout } = await run(['replay', file('payment.json', encodeReplay(recorded)), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      recorded: 'settled',
      result: 'passes',
      confirmed: { round: 2, transactions: [recorded.transaction] },
    });
  });

  it.each([
    ['no JSON', '{'],
    ['another format', '{"format":"har"}'],
    ['a newer version', encodeReplay({ ...({ version: 2 } as object), format: 'avm402-replay' } as Replay)],
  ])('refuses %s', async (name, text) => {
    const { code, stderr } = await run(['replay', file('other.json', text)]);
    expect(stderr, name).toContain('invalid_replay');
    expect(code).toBe(1);
  });

  it('refuses a ledger that is damaged', async () => {
    const damaged = { ...recorded, ledger: { round: 1, state: gzipSync('nothing').toString('base64') } };
    const { code, stderr } = await run(['replay', file('damaged.json', encodeReplay(damaged))]);
    expect(stderr).toContain('invalid_replay');
    expect(code).toBe(1);
  });
});
