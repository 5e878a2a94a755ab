import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { decodeMsgpack, encodeMsgpack } from '@avm402/algorand/msgpack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { type Served, served } from '../served.ts';

/** An algod that lags behind: it shows the node as it was some rounds ago, and judges what it is sent by that. */
export interface LaggingNode extends Served {
  /** How often each of its routes answered. */
  readonly answers: Readonly<Record<string, number>>;
}

interface Answer {
  readonly status: number;
  /** JSON or msgpack. */
  readonly body: object | Uint8Array;
}

interface Lagging {
  readonly node: AlgodClient;
  readonly rounds: bigint;
}

interface Request {
  /** Captured by the route's pattern. */
  readonly round: bigint;
  readonly body: Uint8Array;
}

interface Route {
  readonly name: string;
  readonly pattern: RegExp;
  readonly answer: (lagging: Lagging, request: Request) => Promise<Answer>;
}

/** The routes that a facilitator uses. */
const ROUTES: readonly Route[] = [
  { name: 'params', pattern: /^GET \/v2\/transactions\/params$/, answer: answerParams },
  { name: 'status', pattern: /^GET \/v2\/status$/, answer: answerStatus },
  { name: 'wait', pattern: /^GET \/v2\/status\/wait-for-block-after\/(\d+)$/, answer: answerWait },
  { name: 'txids', pattern: /^GET \/v2\/blocks\/(\d+)\/txids$/, answer: answerTxIds },
  { name: 'simulate', pattern: /^POST \/v2\/transactions\/simulate$/, answer: answerSimulate },
  { name: 'submit', pattern: /^POST \/v2\/transactions$/, answer: answerSubmission },
];

/** Starts an algod that hides the newest rounds of the node at `nodeUrl`. */
export async function startLaggingNode(nodeUrl: string, rounds: bigint): Promise<LaggingNode> {
  const lagging = { node: createAlgodClient({ url: nodeUrl, token: NODE_TOKEN }), rounds };
  const answers: Record<string, number> = {};
  const server = await served((incoming, outgoing) => {
    answer(lagging, incoming, answers).then(
      (given) => send(outgoing, given),
      () => outgoing.socket?.destroy(),
    );
  });
  return { ...server, answers };
}

async function answer(lagging: Lagging, incoming: IncomingMessage, answers: Record<string, number>): Promise<Answer> {
  const called = `${incoming.method} ${incoming.url?.split('?')[0]}`;
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  for (const route of ROUTES) {
    const match = route.pattern.exec(called);
    if (match === null) continue;
    const given = await route.answer(lagging, { round: BigInt(match[1] ?? 0), body: Buffer.concat(chunks) });
    answers[route.name] = (answers[route.name] ?? 0) + 1;
    return given;
  }
  return { status: 404, body: { message: `this node has no ${called}` } };
}

function send(outgoing: ServerResponse, { status, body }: Answer): void {
  const isMsgpack = body instanceof Uint8Array;
  outgoing.writeHead(status, { 'Content-Type': isMsgpack ? 'application/msgpack' : 'application/json' });
  outgoing.end(isMsgpack ? body : JSON.stringify(body));
}

async function shownRound({ node, rounds }: Lagging): Promise<bigint> {
  const { lastRound } = await node.status();
  return lastRound > rounds ? lastRound - rounds : 0n;
}

async function answerParams(lagging: Lagging): Promise<Answer> {
  const params = await lagging.node.params();
  return {
    status: 200,
    body: {
      'consensus-version': params.consensusVersion,
      fee: Number(params.fee),
      'genesis-hash': Buffer.from(params.genesisHash).toString('base64'),
      'genesis-id': params.genesisId,
      'last-round': Number(await shownRound(lagging)),
      'min-fee': Number(params.minFee),
    },
  };
}

async function answerStatus(lagging: Lagging): Promise<Answer> {
  return { status: 200, body: statusOf(await shownRound(lagging)) };
}

async function answerWait(lagging: Lagging, { round }: Request): Promise<Answer> {
  await lagging.node.waitForBlockAfter(round + lagging.rounds);
  return answerStatus(lagging);
}

function statusOf(lastRound: bigint): object {
  return {
    'catchup-time': 0,
    'last-round': Number(lastRound),
    'last-version': 'v',
    'next-version': 'v',
    'next-version-round': Number(lastRound) + 1,
    'next-version-supported': true,
    'stopped-at-unsupported-round': false,
    'time-since-last-round': 0,
  };
}

async function answerTxIds(lagging: Lagging, { round }: Request): Promise<Answer> {
  if (round > (await shownRound(lagging))) return { status: 404, body: { message: 'block not available' } };
  return { status: 200, body: { blockTxids: await lagging.node.blockTransactionIds(round) } };
}

async function answerSimulate(lagging: Lagging, { body }: Request): Promise<Answer> {
  const [group] = list(member(decodeMsgpack(body), 'txn-groups'));
  const lastRound = await shownRound(lagging);
  const failure = refusal(list(member(group, 'txns')), lastRound);
  const result = { 'txn-results': [], ...(failure !== undefined && { 'failed-at': [0n], 'failure-message': failure }) };
  return { status: 200, body: encodeMsgpack({ 'last-round': lastRound, 'txn-groups': [result], version: 2n }) };
}

/** Hands on to the node what is valid at its own round, whatever the node then answers. */
async function answerSubmission(lagging: Lagging, { body }: Request): Promise<Answer> {
  const members = membersOf(body);
  const failure = refusal(members, await shownRound(lagging));
  if (failure !== undefined) return { status: 400, body: { message: `TransactionPool.Remember: ${failure}` } };
  await lagging.node.sendRawTransaction(body).catch((error: unknown) => {
    if (!isAlgorandError(error, 'algod_refused')) throw error;
  });
  return { status: 200, body: { txId: '' } };
}

/** Signed transactions one after another are a list without its head. */
function membersOf(group: Uint8Array): readonly unknown[] {
  const [pair, single] = [2, 1].map((count) => Uint8Array.of(0x90 + count, ...group));
  try {
    return list(decodeMsgpack(pair ?? group));
  } catch {
    return list(decodeMsgpack(single ?? group));
  }
}

/** The window is all that a node can judge differently for being late: nobody here runs out of money. */
function refusal(members: readonly unknown[], lastRound: bigint): string | undefined {
  const next = lastRound + 1n;
  const windows = members.map((signed) => {
    const transaction = member(signed, 'txn');
    return { first: integer(member(transaction, 'fv')), last: integer(member(transaction, 'lv')) };
  });
  const dead = windows.find(({ first, last }) => next < first || next > last);
  return dead && `txn dead: round ${next} outside of ${dead.first}--${dead.last}`;
}

function member(value: unknown, name: string): unknown {
  return value instanceof Map ? value.get(name) : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function integer(value: unknown): bigint {
  return typeof value === 'bigint' ? value : 0n;
}
