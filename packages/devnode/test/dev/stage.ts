import { parseAddress } from '@avm402/algorand/address';
import { decodeBase64 } from '@avm402/algorand/base64';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import { createDevControls, type DevControls, type Devnode } from '../../src/index.ts';
import { testAccount, uniquePayment, unsigned } from '../chain-fixture.ts';

/** An account of nobody but the test; it has nothing until it is given something. */
export const ZOE = testAccount(77);
export const YANN = testAccount(78);
export const USDC = 10_458_941n;

/** The two ways to the controls of a node. */
export const WAYS: readonly (readonly [string, (node: Devnode) => DevControls])[] = [
  ['in process', (node) => node],
  ['over HTTP', ({ url }) => createDevControls({ url })],
];

export interface Submitted {
  readonly status: number;
  readonly text: string;
}

/** Sends the bytes of a group to algod's route. */
export async function submit(node: Devnode, body: Uint8Array): Promise<Submitted> {
  const answer = await get(node, '/v2/transactions', { method: 'POST', body: Buffer.from(body) });
  return { status: answer.status, text: await answer.text() };
}

/** A request with the node's token. */
export function get({ url, token }: Devnode, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url + path, { ...init, headers: { 'X-Algo-API-Token': token } });
}

/** A signed transaction like no other; a payment of 1 µAlgo to the merchant unless something else is given. */
export function payment(node: Devnode, fields: Partial<Transaction> = {}, signer = ZOE): Uint8Array {
  return uniquePayment(chainOf(node), { ...(fields.type === undefined && toMerchant(node)), ...fields }, signer);
}

/** A payment that nobody has signed. */
export function unsignedPayment(node: Devnode, fields: Partial<Transaction> = {}): Uint8Array {
  const transaction = unsigned(ZOE, chainOf(node), { ...toMerchant(node), ...fields });
  return encode(signedTransaction, signedTransaction.of({ transaction }));
}

function toMerchant({ accounts }: Devnode): Partial<Transaction> {
  return { receiver: parseAddress(accounts.merchant.address) };
}

function chainOf(node: Devnode): { genesisId: string; genesisHash: Uint8Array } {
  return { genesisId: node.genesisId, genesisHash: decodeBase64(node.genesisHash) ?? new Uint8Array() };
}

/** The timestamp of the latest block. */
export async function latestTimestamp(node: Devnode): Promise<number> {
  const answer = await get(node, `/v2/blocks/${node.latestRound}?header-only=true`);
  const { block } = (await answer.json()) as { block: { ts: number } };
  return block.ts;
}
