import {
  type AccountInformation,
  type AssetHolding,
  type AssetInformation,
  type HoldingsPage,
  type NodeStatus,
  type NodeVersions,
  type PendingTransaction,
  readAccount,
  readAsset,
  readHolding,
  readHoldings,
  readParams,
  readPendingTransaction,
  readSimulateResult,
  readStatus,
  readVersions,
  type SimulateResult,
  type SuggestedParams,
} from './algod-answers.ts';
import { algodRefusal } from './algod-refusal.ts';
import { type AlgodRequest, type AlgodTransport, createAlgodTransport } from './algod-transport.ts';
import { AnswerReader, decodeMsgpackAnswer } from './answer-reader.ts';
import { AlgorandError } from './errors.ts';
import { fetchExchange, type HttpExchange } from './http-exchange.ts';
import type { MsgpackKey, MsgpackValue } from './msgpack.ts';
import { MsgpackWriter } from './msgpack-writer.ts';

export type {
  AccountInformation,
  AssetHolding,
  AssetInformation,
  CreatedAssetParameters,
  HeldAsset,
  HoldingsPage,
  NodeStatus,
  NodeVersions,
  PendingTransaction,
  SimulateResult,
  SuggestedParams,
} from './algod-answers.ts';

export interface AlgodClientOptions {
  /** `http:` or `https:`. A path becomes a prefix of every route. */
  readonly url: string;
  /** Sent as `X-Algo-API-Token`, unless it is empty. */
  readonly token?: string;
  /** How requests are sent. Default: through the runtime's `fetch`. */
  readonly exchange?: HttpExchange;
  /** Milliseconds for one request, from sending it to the last byte of the answer. Default 10,000. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  /** Aborting it rejects the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends RequestOptions {
  /** Since algod 5: accept logic signatures whose address is a curve point. */
  readonly skipPqAddressCheck?: boolean;
}

export interface PageOptions extends RequestOptions {
  /** `next` of the previous page. */
  readonly next?: string | undefined;
  /** Entries per page. The node's maximum, which is also its default, is 1000. */
  readonly limit?: number;
}

export interface SimulateRequest extends RequestOptions {
  /** The group's members, each the msgpack of a signed transaction; `{txn}` alone for an unsigned one. */
  readonly transactions: readonly Uint8Array[];
  readonly allowEmptySignatures?: boolean;
  /** Use the auth address of the sender where a signature is missing. Needs `allowEmptySignatures`. */
  readonly fixSigners?: boolean;
  /** Evaluate after this round. Default 0: the latest round. */
  readonly round?: bigint;
}

/**
 * The part of algod's REST API that payments need. Every method sends one request, once, and rejects with an
 * AlgorandError: `algod_unreachable` and `algod_timeout` (after a submission: outcome unknown), `algod_refused` (with
 * `.status` and algod's `.reason`), `algod_bad_answer`.
 */
export interface AlgodClient {
  readonly url: string;
  params(options?: RequestOptions): Promise<SuggestedParams>;
  status(options?: RequestOptions): Promise<NodeStatus>;
  /** Resolves when the block after `round` exists, or after a minute without it, with the status at that time. */
  waitForBlockAfter(round: bigint, options?: RequestOptions): Promise<NodeStatus>;
  /** Submits a group: its encoded signed transactions, one after another. `txId` is that of the first. */
  sendRawTransaction(group: Uint8Array, options?: SubmitOptions): Promise<{ readonly txId: string }>;
  /**
   * Submits a group to the node's queue. The answer says nothing about validity: the node drops an invalid group
   * silently.
   */
  sendRawTransactionAsync(group: Uint8Array, options?: SubmitOptions): Promise<void>;
  simulate(request: SimulateRequest): Promise<SimulateResult>;
  /** `undefined` if neither the pool nor the last 1000 rounds have it. */
  pendingTransaction(txId: string, options?: RequestOptions): Promise<PendingTransaction | undefined>;
  /** The node's msgpack record of a block, `{block, cert}`, unchanged. */
  block(round: bigint, options?: RequestOptions): Promise<ReadonlyMap<MsgpackKey, MsgpackValue>>;
  blockTransactionIds(round: bigint, options?: RequestOptions): Promise<string[]>;
  account(address: string, options?: RequestOptions): Promise<AccountInformation>;
  /** `undefined` if the account has not opted in. */
  accountAsset(address: string, assetId: bigint, options?: RequestOptions): Promise<AssetHolding | undefined>;
  /** A page of what an account holds, with the parameters of each asset. Since algod 3.22. */
  accountHoldings(address: string, options?: PageOptions): Promise<HoldingsPage>;
  /** `undefined` if the asset does not exist. */
  asset(assetId: bigint, options?: RequestOptions): Promise<AssetInformation | undefined>;
  /** The genesis file, unchanged. */
  genesis(options?: RequestOptions): Promise<string>;
  versions(options?: RequestOptions): Promise<NodeVersions>;
  /** Resolves if the node answers at all. */
  health(options?: RequestOptions): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** algod itself answers after at most 60 s. */
const WAIT_FOR_BLOCK_TIMEOUT_MS = 70_000;

/**
 * A client for one algod.
 * @throws AlgorandError `invalid_algod_options`
 */
export function createAlgodClient(options: AlgodClientOptions): AlgodClient {
  const {
    url: root,
    token: given,
    exchange = fetchExchange(globalThis.fetch),
    timeoutMs: limit = DEFAULT_TIMEOUT_MS,
  } = Object(options) as AlgodClientOptions;
  const url = parseAlgodUrl(root);
  const token = parseToken(given ?? '');
  const timeoutMs = Math.min(limit, LONGEST_TIMER_MS);
  const send = createAlgodTransport({ url, token, exchange, timeoutMs });
  return { url, ...nodeCalls(send, timeoutMs), ...transactionCalls(send), ...ledgerCalls(send) };
}

/** Asks for a route, and reads its JSON. */
async function ask(send: AlgodTransport, request: AlgodRequest): Promise<AnswerReader> {
  return AnswerReader.fromJson(request.path, await send(request));
}

type NodeCalls = 'params' | 'status' | 'waitForBlockAfter' | 'genesis' | 'versions' | 'health';
type TransactionCalls = 'sendRawTransaction' | 'sendRawTransactionAsync' | 'simulate' | 'pendingTransaction';

function nodeCalls(send: AlgodTransport, timeoutMs: number): Pick<AlgodClient, NodeCalls> {
  return {
    async params({ signal } = {}) {
      return readParams(await ask(send, { path: '/v2/transactions/params', signal }));
    },
    async status({ signal } = {}) {
      return readStatus(await ask(send, { path: '/v2/status', signal }));
    },
    async waitForBlockAfter(round, { signal } = {}) {
      const path = `/v2/status/wait-for-block-after/${round}`;
      return readStatus(await ask(send, { path, signal, timeoutMs: Math.max(timeoutMs, WAIT_FOR_BLOCK_TIMEOUT_MS) }));
    },
    async genesis({ signal } = {}) {
      return new TextDecoder().decode(await send({ path: '/genesis', signal }));
    },
    async versions({ signal } = {}) {
      return readVersions(await ask(send, { path: '/versions', signal }));
    },
    async health({ signal } = {}) {
      await send({ path: '/health', signal });
    },
  };
}

function transactionCalls(send: AlgodTransport): Pick<AlgodClient, TransactionCalls> {
  return {
    async sendRawTransaction(group, { skipPqAddressCheck = false, signal } = {}) {
      const path = `/v2/transactions${submitQuery(skipPqAddressCheck)}`;
      return { txId: (await ask(send, { path, body: rawBody(group), signal })).text('txId') };
    },
    async sendRawTransactionAsync(group, { skipPqAddressCheck = false, signal } = {}) {
      await send({ path: `/v2/transactions/async${submitQuery(skipPqAddressCheck)}`, body: rawBody(group), signal });
    },
    async simulate(request) {
      const path = '/v2/transactions/simulate?format=msgpack';
      const body = { bytes: encodeSimulateRequest(request), contentType: 'application/msgpack' };
      return readSimulateResult(AnswerReader.fromMsgpack(path, await send({ path, body, signal: request.signal })));
    },
    async pendingTransaction(txId, { signal } = {}) {
      const path = `/v2/transactions/pending/${encodeURIComponent(txId)}?format=msgpack`;
      const bytes = await unlessMissing(send({ path, signal }));
      return bytes && readPendingTransaction(AnswerReader.fromMsgpack(path, bytes));
    },
  };
}

function ledgerCalls(send: AlgodTransport): Omit<AlgodClient, 'url' | NodeCalls | TransactionCalls> {
  return {
    async block(round, { signal } = {}) {
      const path = `/v2/blocks/${round}?format=msgpack`;
      return decodeMsgpackAnswer(path, await send({ path, signal }));
    },
    async blockTransactionIds(round, { signal } = {}) {
      return (await ask(send, { path: `/v2/blocks/${round}/txids`, signal })).texts('blockTxids');
    },
    async account(address, { signal } = {}) {
      return readAccount(await ask(send, { path: `/v2/accounts/${encodeURIComponent(address)}?exclude=all`, signal }));
    },
    async accountAsset(address, assetId, { signal } = {}) {
      const path = `/v2/accounts/${encodeURIComponent(address)}/assets/${assetId}`;
      const answer = await unlessMissing(ask(send, { path, signal }));
      return answer && readHolding(answer);
    },
    async accountHoldings(address, { next, limit, signal } = {}) {
      const query = new URLSearchParams();
      if (limit !== undefined) query.set('limit', String(limit));
      if (next !== undefined) query.set('next', next);
      const path = `/v2/accounts/${encodeURIComponent(address)}/assets${query.size > 0 ? `?${query}` : ''}`;
      return readHoldings(await ask(send, { path, signal }));
    },
    async asset(assetId, { signal } = {}) {
      const answer = await unlessMissing(ask(send, { path: `/v2/assets/${assetId}`, signal }));
      return answer && readAsset(answer);
    },
  };
}

/**
 * `undefined` for algod's own 404 about something that does not exist. Any other 404 (a wrong URL, a proxy) says
 * nothing about the ledger.
 */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (algodRefusal(error, 404)?.kind === 'not_found') return undefined;
    throw error;
  }
}

function parseAlgodUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new AlgorandError('invalid_algod_options', 'the URL of algod must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new AlgorandError('invalid_algod_options', 'the URL of algod must have no user, query or fragment');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function parseToken(text: unknown): string {
  if (typeof text !== 'string') throw new AlgorandError('invalid_algod_options', "algod's token must be a text");
  const token = text.trim();
  if (/^[\x21-\x7e]*$/.test(token)) return token;
  throw new AlgorandError('invalid_algod_options', "algod's token holds a character that a header can't carry");
}

function submitQuery(skipPqAddressCheck: boolean): string {
  return skipPqAddressCheck ? '?skip-pq-address-check=true' : '';
}

function rawBody(bytes: Uint8Array): { bytes: Uint8Array; contentType: string } {
  return { bytes, contentType: 'application/x-binary' };
}

/** Canonical msgpack written by hand, because the members are msgpack already. */
function encodeSimulateRequest(request: SimulateRequest): Uint8Array {
  const { transactions, allowEmptySignatures = false, fixSigners = false, round = 0n } = request;
  const members = [allowEmptySignatures, fixSigners, round !== 0n, true].filter(Boolean);
  const writer = new MsgpackWriter().mapHeader(members.length);
  if (allowEmptySignatures) writer.text('allow-empty-signatures').boolean(true);
  if (fixSigners) writer.text('fix-signers').boolean(true);
  if (round !== 0n) writer.text('round').integer(round);
  writer.text('txn-groups').arrayHeader(1).mapHeader(1).text('txns').arrayHeader(transactions.length);
  for (const transaction of transactions) writer.raw(transaction);
  return writer.toBytes();
}
