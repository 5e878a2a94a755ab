// Callers of a node that may die at any time, and what its answers told them.
import { randomBytes } from 'node:crypto';
import { parseAccount } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import {
  DEVELOPMENT_ACCOUNT_NAMES,
  developmentAccounts,
  type DevelopmentAccountName,
} from '../../src/genesis/development-accounts.ts';

/** What has been answered. All of it must still be so when the node has been killed and started again. */
export class Told {
  /** Transactions that were said to be in a block. */
  readonly payments = new Set<string>();
  /** µAlgo by account, out of nothing. */
  readonly gifts = new Map<string, number>();
  /** Hashes of blocks by round. */
  readonly blocks = new Map<number, string>();
  latestRound = 0;
}

/** Asks a node; undefined when it died before it had answered. */
async function ask(url: string, path: string, request: RequestInit = {}): Promise<Record<string, unknown> | undefined> {
  try {
    const headers = { 'X-Algo-API-Token': 'a'.repeat(64) };
    const response = await fetch(url + path, { ...request, headers });
    const body = await response.text();
    return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** Calls a node in every way that makes blocks, until it is dead. */
export async function callUntilDead(url: string, told: Told, rounds: number): Promise<void> {
  const payers = DEVELOPMENT_ACCOUNT_NAMES.filter((name) => name.startsWith('payer'));
  await Promise.all([
    ...payers.slice(0, 4).map((name) => whileAlive(() => pay(url, told, name))),
    ...payers.slice(4).map((name) => whileAlive(() => payLater(url, told, name))),
    whileAlive(() => give(url, told)),
    whileAlive(() => look(url, told)),
    mine(url, told, rounds),
  ]);
}

async function whileAlive(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

async function pay(url: string, told: Told, name: DevelopmentAccountName): Promise<boolean> {
  const payment = await signedPayment(url, name);
  const answer = payment && (await ask(url, '/v2/transactions', { method: 'POST', body: payment }));
  if (typeof answer?.['txId'] === 'string') told.payments.add(answer['txId']);
  return answer !== undefined;
}

/** Submits asynchronously, and asks for the transaction until it is in a block. */
async function payLater(url: string, told: Told, name: DevelopmentAccountName): Promise<boolean> {
  const payment = await signedPayment(url, name);
  const answer = payment && (await ask(url, '/v2/transactions/async', { method: 'POST', body: payment }));
  const before = await ask(url, '/v2/status');
  const round = Number(before?.['last-round']);
  const ids = await ask(url, `/v2/blocks/${round}/txids`);
  for (const id of (ids?.['blockTxids'] ?? []) as string[]) told.payments.add(id);
  return answer !== undefined && ids !== undefined;
}

async function give(url: string, told: Told): Promise<boolean> {
  const address = formatAddress(randomBytes(32));
  const answer = await ask(url, `/dev/fund/${address}?amount=1000000`, { method: 'POST' });
  if (answer?.['amount'] === 1_000_000) told.gifts.set(address, 1_000_000);
  return answer !== undefined;
}

async function look(url: string, told: Told): Promise<boolean> {
  const round = Number((await ask(url, '/v2/status'))?.['last-round'] ?? 0);
  told.latestRound = Math.max(told.latestRound, round);
  const answer = await ask(url, `/v2/blocks/${round}/hash`);
  if (typeof answer?.['blockHash'] === 'string') told.blocks.set(round, answer['blockHash']);
  return answer !== undefined;
}

/** A long run of blocks, for a snapshot falls due after ten thousand. */
async function mine(url: string, told: Told, rounds: number): Promise<void> {
  const answer = await ask(url, `/dev/mine?rounds=${rounds}`, { method: 'POST' });
  told.latestRound = Math.max(told.latestRound, Number(answer?.['last-round'] ?? 0));
}

async function signedPayment(url: string, name: DevelopmentAccountName): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const params = await ask(url, '/v2/transactions/params');
  if (params === undefined) return undefined;
  const { [name]: account, merchant } = developmentAccounts();
  const payer = parseAccount(account.privateKey);
  const firstValid = BigInt(Number(params['last-round']));
  const signed = payer.signTransaction({
    type: 'pay',
    sender: payer.address,
    receiver: merchant.address,
    amount: 1n,
    fee: 1000n,
    firstValid,
    lastValid: firstValid + 1000n,
    genesisId: String(params['genesis-id']),
    genesisHash: Buffer.from(String(params['genesis-hash']), 'base64'),
    note: randomBytes(16),
  });
  return Uint8Array.from(signed);
}
