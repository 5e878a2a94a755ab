import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { sponsor } from './payments.ts';

/** One request that the stub got. */
export interface StubCall {
  readonly path: string;
  readonly txId: string;
  readonly idempotencyKey: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: { paymentPayload: PaymentPayload; paymentRequirements: Record<string, unknown> };
}

/** `undefined`: the ordinary answer. `hang`: none. `cut`: the connection is closed. */
type Answer = { status?: number; body: unknown; headers?: Record<string, string> } | 'hang' | 'cut' | undefined;

export interface StubOptions {
  readonly storeId?: string;
  readonly networks?: readonly string[];
  readonly feePayer?: string | null;
  readonly signers?: readonly string[];
}

/** A facilitator whose answers a test decides. By default it finds everything valid and settles each TxID once a key. */
export interface FacilitatorStub {
  readonly url: string;
  readonly calls: StubCall[];
  onSupported: () => Answer | Promise<Answer>;
  onVerify: (call: StubCall) => Answer | Promise<Answer>;
  onSettle: (call: StubCall) => Answer | Promise<Answer>;
  /** What became of a settlement. */
  onSettlement: (txId: string) => Answer;
  options: StubOptions;
  /** Settled TxIDs and their keys. */
  readonly settled: Map<string, string | undefined>;
  settles(): StubCall[];
  verifies(): StubCall[];
  /** Takes no further connections. */
  stopListening(): void;
  /** Closes connections that nothing is asked over. */
  closeIdle(): void;
  close(): Promise<void>;
}

export async function startFacilitatorStub(options: StubOptions = {}): Promise<FacilitatorStub> {
  const server = createServer((request, response) => void handle(stub, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const calls: StubCall[] = [];
  const stub: FacilitatorStub = {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    options: { storeId: 'store-1', networks: [ALGORAND_TESTNET], feePayer: sponsor, ...options },
    onSupported: () => undefined,
    onVerify: () => undefined,
    onSettle: () => undefined,
    onSettlement: () => undefined,
    settled: new Map(),
    settles: () => calls.filter(({ path }) => path === '/settle'),
    verifies: () => calls.filter(({ path }) => path === '/verify'),
    stopListening: () => void server.close(),
    closeIdle: () => server.closeIdleConnections(),
    close: async () => {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
  return stub;
}

async function handle(stub: FacilitatorStub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const answer = path === '/supported' ? await supported(stub) : await answerTo(stub, path, request, text);
  if (answer === 'hang') return;
  if (answer === 'cut') return void request.socket.destroy();
  const { status = 200, body, headers = {} } = answer ?? { status: 404, body: {} };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function supported(stub: FacilitatorStub): Promise<Answer> {
  const own = await stub.onSupported();
  if (own !== undefined) return own;
  const { networks = [], feePayer, storeId, signers = [] } = stub.options;
  const extra = feePayer ? { feePayer } : {};
  const kinds = networks.map((network) => ({ x402Version: 2, scheme: 'exact', network, extra }));
  const body = { kinds, extensions: [], signers: { 'algorand:*': [...(feePayer ? [feePayer] : []), ...signers] } };
  return { body, headers: storeId === undefined ? {} : { 'x402-store-id': storeId } };
}

async function answerTo(stub: FacilitatorStub, path: string, request: IncomingMessage, text: string): Promise<Answer> {
  if (path.startsWith('/settlements/')) {
    const txId = path.slice('/settlements/'.length);
    const own = stub.onSettlement(txId);
    if (own !== undefined) return own;
    return stub.settled.has(txId) ? { body: { transaction: txId, state: 'confirmed', final: true } } : undefined;
  }
  const body = JSON.parse(text) as StubCall['body'];
  const key = request.headers['idempotency-key'];
  const payment = paymentIn(body.paymentPayload);
  const call: StubCall = {
    path,
    txId: payment === undefined ? '' : transactionId(payment),
    idempotencyKey: typeof key === 'string' ? key : undefined,
    headers: request.headers,
    body,
  };
  stub.calls.push(call);
  if (path === '/verify') return (await stub.onVerify(call)) ?? { body: { isValid: true, payer: 'PAYER' } };
  return (await stub.onSettle(call)) ?? settleOnce(stub, call);
}

/** Settles: once a TxID, the same answer for the same key; without a key there is no second answer. */
export function settleOnce(stub: FacilitatorStub, { txId, idempotencyKey, body }: StubCall): Answer {
  const { network } = body.paymentRequirements;
  const isSame = idempotencyKey !== undefined && stub.settled.get(txId) === idempotencyKey;
  const isDuplicate = stub.settled.has(txId) && !isSame;
  if (isDuplicate) {
    return { body: { success: false, errorReason: 'duplicate_settlement', transaction: txId, network } };
  }
  stub.settled.set(txId, idempotencyKey);
  return { body: { success: true, transaction: txId, network, payer: paymentIn(body.paymentPayload)?.sender } };
}

/** The payment transaction of a payload; undefined for what is none. */
function paymentIn({ payload }: PaymentPayload): Transaction | undefined {
  const { paymentGroup, paymentIndex } = payload as { paymentGroup?: string[]; paymentIndex: number };
  const element = paymentGroup?.[paymentIndex];
  return element === undefined ? undefined : decodeSignedTransaction(Buffer.from(element, 'base64')).txn;
}

/** A deferred value, for answers that a test gives later. */
export function later<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve(value) };
}
