import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { shownTransaction } from '@avm402/algorand/shown-transaction';
import {
  decodeSignedTransaction,
  encodeAuthorized,
  encodeSignedTransaction,
} from '@avm402/algorand/signed-transaction';
import { transactionId, transactionSigningBytes, type Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { algorandNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
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
    ['a journal', '{"v":1}\n{"v":1}\n'],
    ['a newer version', encodeReplay({ ...({ version: 2 } as object), format: 'avm402-replay' } as Replay)],
  ])('refuses %s', async (name, text) => {
    const { code, stderr } = await run(['replay', file('other.json', text)]);
    const newer = name === 'a newer version';
    expect(stderr, name).toContain(`invalid_replay: ${newer ? 'version' : 'this is not a payment that the console'}`);
    expect(code).toBe(1);
  });

  it('refuses a ledger that is damaged', async () => {
    const damaged = { ...recorded, ledger: { round: 1, state: gzipSync('nothing').toString('base64') } };
    const { code, stderr } = await run(['replay', file('damaged.json', encodeReplay(damaged))]);
    expect(stderr).toContain('invalid_replay');
    expect(code).toBe(1);
  });
});

const USDC = 10_458_941n;
const bytesOf = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));
const base64Of = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const packed = async (node: Devnode): Promise<string> => gzipSync(await node.dump()).toString('base64');

/** A sponsored cent as the console exports it: settled, and refused because the payer was frozen. */
async function sponsoredCents(): Promise<{ readonly settled: Replay; readonly frozen: Replay }> {
  const node = await startDevnode({ port: 0 });
  const { facilitator, merchant, payer } = node.accounts;
  const accepted: PaymentRequirements = {
    scheme: 'exact',
    network: algorandNetwork(node.genesisHash),
    asset: String(USDC),
    amount: '10000',
    payTo: merchant.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.address },
  };
  const algod = createAlgodClient(node);
  const client = new ExactAvmClient({ account: parseAccount(payer.privateKey), algod: () => algod });
  const { payload, txId } = await client.createPayment(accepted);
  const [fee = '', payment = ''] = payload.paymentGroup;
  const signature = parseAccount(facilitator.privateKey).sign(transactionSigningBytes(bytesOf(fee)));
  const shown = payload.paymentGroup.map((member) => shownTransaction(member) ?? '');
  const sent = { x402Version: 2, accepted, payload: { ...payload, paymentGroup: shown } };
  const offered = { x402Version: 2, resource: { url: 'https://news.example/news' }, accepts: [accepted] };
  const settled: Replay = {
    format: 'avm402-replay',
    version: 1,
    asked: 'GET /news',
    outcome: 'settled',
    transaction: txId,
    checks: ['message', 'terms', 'offer', 'signature'].map((check) => ({ check, outcome: 'passed' })),
    messages: [
      { direction: 'received', line: '402', headers: { 'PAYMENT-REQUIRED': JSON.stringify(offered) } },
      { direction: 'sent', line: 'GET news.example/news', headers: { 'PAYMENT-SIGNATURE': JSON.stringify(sent) } },
    ],
    group: [base64Of(encodeAuthorized(bytesOf(fee), { signature })), payment],
    ledger: { round: Number(node.latestRound), state: await packed(node) },
  };
  await node.setFrozen(payer.address, USDC, true);
  const ledger = { round: Number(node.latestRound), state: await packed(node) };
  await node.stop();
  return { settled, frozen: { ...settled, outcome: 'invalid_exact_avm_asset_frozen', group: shown, ledger } };
}

describe('the checks of a payment', () => {
  let settled: Replay;
  let frozen: Replay;
  beforeAll(async () => ({ settled, frozen } = await sponsoredCents()));

  /** What was checked again, and the exit code. */
  async function again(payment: Replay): Promise<readonly (string | number)[]> {
    const { code, stdout } = await run(['replay', file('cent.json', encodeReplay(payment))]);
    return [...stdout.split('\n').filter((line) => /^(seller|facilitator|again) /.test(line)), code];
  }

  it('are done again, the seller’s and the facilitator’s, before the group is', async () => {
    expect(await again(settled)).toEqual([
      'seller      message: passed',
      'seller      terms: passed',
      'seller      offer: passed',
      'seller      signature: passed',
      'facilitator verify: passed',
      expect.stringContaining(`again       confirmed in round 1: `),
      0,
    ]);
  });

  it('are done again for a payment that was refused, but for its signature, which nobody gets', async () => {
    expect(await again(frozen)).toEqual([
      'seller      message: passed',
      'seller      terms: passed',
      'seller      offer: passed',
      'seller      signature: not in the file',
      'facilitator verify: invalid_exact_avm_asset_frozen',
      expect.stringMatching(/^again {7}refused: .*frozen/),
      0,
    ]);
  });

  it('that refuse with another code than the recorded one end otherwise', async () => {
    expect((await again({ ...frozen, outcome: 'invalid_exact_avm_insufficient_balance' })).at(-1)).toBe(1);
  });

  it.each([
    [
      'another price was offered',
      'PAYMENT-REQUIRED',
      '"amount":"10000"',
      '"amount":"20000"',
      'offer: no_matching_offer',
    ],
    [
      'more was accepted than is paid',
      'PAYMENT-SIGNATURE',
      '"amount":"10000"',
      '"amount":"20000"',
      'terms: invalid_exact_avm_amount_mismatch',
    ],
    [
      'it is no payment',
      'PAYMENT-SIGNATURE',
      '"x402Version":2',
      '"x402Version":null',
      'message: invalid_payment_payload',
    ],
  ])('tell that %s', async (_what, header, from, to, refusal) => {
    const messages = settled.messages.map((message) => {
      const text = message.headers[header];
      return text === undefined ? message : { ...message, headers: { [header]: text.replace(from, to) } };
    });
    const outcomes = await again({ ...settled, messages });
    expect(outcomes.at(-3)).toBe(`seller      ${refusal}`);
    expect(outcomes.at(-1)).toBe(1);
  });

  it('tell that a signature is another’s', async () => {
    const [fee = '', payment = ''] = settled.group;
    const { signature: _, ...rest } = decodeSignedTransaction(bytesOf(payment));
    const forged = encodeSignedTransaction({ ...rest, signature: new Uint8Array(64).fill(1) });
    const outcomes = await again({ ...settled, group: [fee, base64Of(forged)] });
    expect(outcomes.at(-3)).toBe('seller      signature: invalid_exact_avm_invalid_signature');
    expect(outcomes.at(-1)).toBe(1);
  });
});
