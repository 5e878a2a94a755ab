import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBase64 } from '@avm402/algorand/base64';
import { TESTNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId } from '@avm402/algorand/transaction';
import {
  decodePaymentSignatureHeader,
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
} from '@avm402/core/headers';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { declarePaymentIdentifier, paymentIdOf } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { SettleResponse } from '@avm402/core/settle-response';
import { accounts } from './chain.ts';

export const merchant = accounts.merchant.address;
export const sponsor = accounts.facilitator.address;
export const network = ALGORAND_TESTNET;

/** One cent of USDC, sponsored. */
export const requirements: PaymentRequirements = {
  scheme: 'exact',
  network,
  asset: TESTNET.usdcAssetId.toString(),
  amount: '10000',
  payTo: merchant,
  // A window of 32 rounds.
  maxTimeoutSeconds: 60,
  extra: { feePayer: sponsor },
};

/** A request as the seller saw it. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The payment that came with it. */
  readonly payment: SeenPayment | undefined;
}

export interface SeenPayment {
  /** The header's bytes. */
  readonly header: string;
  readonly payload: PaymentPayload;
  readonly txId: string;
  readonly paymentId: string | undefined;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Cut the connection: without an answer, or after half of the body. */
  readonly cut?: 'before' | 'within';
  /** Send the second half of the body so much later. */
  readonly slowlyMs?: number;
  /** Send the body, and after it a byte now and then, without end. */
  readonly endless?: boolean;
}

export type Answers = (seen: Seen, all: readonly Seen[]) => Answer | Promise<Answer>;

export interface Seller {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** TCP connections so far. */
  connections(): number;
  /** Those on which an answer is under way. */
  busy(): number;
  /** TxIDs of the payments that came, each once, in order. */
  payments(): readonly string[];
  stop(): Promise<void>;
}

/** A seller over HTTP that does what a test tells it to. */
export async function startSeller(answers: Answers): Promise<Seller> {
  const seen: Seen[] = [];
  let busy = 0;
  const server = createServer((request, response) => {
    busy++;
    response.once('close', () => busy--);
    const answer = async (): Promise<void> => {
      const one = await see(request);
      seen.push(one);
      write(response, await answers(one, seen));
    };
    answer().catch(() => response.socket?.destroy());
  });
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    busy: () => busy,
    payments: () => [...new Set(seen.flatMap(({ payment }) => payment?.txId ?? []))],
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A 402 with these offers. */
export function asking(
  accepts: readonly Partial<PaymentRequirements>[] = [{}],
  more: Partial<PaymentRequired> = {},
): Answer {
  const required: PaymentRequired = {
    x402Version: 2,
    resource: { url: 'http://elsewhere.example/', description: '', mimeType: '' },
    accepts: accepts.map((one) => ({ ...requirements, ...one })),
    extensions: declarePaymentIdentifier(),
    ...more,
  };
  return { status: 402, headers: { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) }, body: '{}' };
}

/** A receipt of a payment. */
export function receipt(payment: SeenPayment, change: Partial<SettleResponse> = {}): Record<string, string> {
  const settled = { success: true, transaction: payment.txId, network, ...change };
  return { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(settled) };
}

async function see(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const header = request.headers['payment-signature'];
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    payment: typeof header === 'string' && header !== STRANGE_HEADER ? seenPayment(header) : undefined,
  };
}

/** A header that is no payment of ours. */
export const STRANGE_HEADER = 'bWluZQ==';

export function seenPayment(header: string): SeenPayment {
  const payload = decodePaymentSignatureHeader(header);
  const { paymentGroup, paymentIndex } = payload.payload as { paymentGroup?: string[]; paymentIndex: number };
  // Through a channel.
  if (!paymentGroup) return { header, payload, txId: '', paymentId: paymentIdOf(payload) };
  const bytes = decodeBase64(paymentGroup[paymentIndex] ?? '') ?? new Uint8Array();
  const txId = transactionId(decodeSignedTransaction(bytes).txn);
  return { header, payload, txId, paymentId: paymentIdOf(payload) };
}

function write(
  response: ServerResponse,
  { status = 200, headers = {}, body = '{"report":"sunny"}', cut, slowlyMs, endless = false }: Answer,
): void {
  if (cut === 'before') return void response.socket?.destroy();
  if (endless) return writeWithoutEnd(response.writeHead(status, headers), body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': String(body.length), ...headers });
  if (cut === undefined && slowlyMs === undefined) return void response.end(body);
  const rest = (): void => void (cut ? response.socket?.destroy() : response.end(body.slice(body.length / 2)));
  response.write(body.slice(0, body.length / 2), () => setTimeout(rest, slowlyMs ?? 0));
}

function writeWithoutEnd(response: ServerResponse, body: string): void {
  response.write(body);
  const timer = setInterval(() => response.write(' '), 50);
  response.once('close', () => clearInterval(timer));
}
