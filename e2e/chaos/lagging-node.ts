import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { decodeGroup } from '@avm402/algorand/group';
import { decodeMsgpack, encodeMsgpack } from '@avm402/algorand/msgpack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { type NodeAnswer, startNodeLine } from '../node-line.ts';
import type { Served } from '../served.ts';

/** A node as it was some rounds ago: it has no newer blocks, and judges by that what it is sent. */
export interface LaggingNode extends Served {
  /** How often it was asked for each path; a round in a path is `N`. */
  readonly asked: Readonly<Record<string, number>>;
}

/** Serves the node at `nodeUrl` without its newest rounds. The node must keep the state of as many (`MaxAcctLookback`). */
export async function startLaggingNode(nodeUrl: string, rounds: bigint): Promise<LaggingNode> {
  const node = createAlgodClient({ url: nodeUrl, token: NODE_TOKEN });
  const asked: Record<string, number> = {};
  const line = await startNodeLine(nodeUrl, async ({ path, body }, ask) => {
    const [route = ''] = path.split('?');
    const name = route.replace(/\/\d+/, '/N');
    asked[name] = (asked[name] ?? 0) + 1;
    const round = BigInt(/\/(\d+)/.exec(route)?.[1] ?? 0);
    if (name.startsWith('/v2/status/wait-')) await node.waitForBlockAfter(round + rounds);
    const shown = (await node.status()).lastRound - rounds;
    if (name.startsWith('/v2/blocks/N') && round > shown) return json(404, { message: 'block not available' });
    if (name === '/v2/transactions/simulate') return ask(atRound(shown, body));
    if (name === '/v2/transactions') return submitted(node, body, shown);
    const answer = await ask();
    if (!answer.type.includes('json')) return answer;
    return { ...answer, body: answer.body.toString().replaceAll(/"last-round":\d+/g, `"last-round":${shown}`) };
  });
  return Object.assign(line, { asked });
}

/** A request to simulate that the node answers from its state after that round. */
function atRound(round: bigint, request: Uint8Array): Buffer<ArrayBuffer> {
  const asked = decodeMsgpack(request);
  return Buffer.from(encodeMsgpack(new Map([...(asked instanceof Map ? asked : []), ['round', round]])));
}

/** Hands on to the node what is valid at the late round, whatever the node then answers. */
async function submitted(node: AlgodClient, group: Uint8Array, lastRound: bigint): Promise<NodeAnswer> {
  const refusal = refusalOf(group, lastRound);
  if (refusal !== undefined) return json(400, { message: `TransactionPool.Remember: ${refusal}` });
  await node.sendRawTransaction(group).catch((error: unknown) => {
    if (!isAlgorandError(error, 'algod_refused')) throw error;
  });
  return json(200, { txId: '' });
}

/** The window is all that a node can judge differently for being late: nobody here runs out of money. */
function refusalOf(group: Uint8Array, lastRound: bigint): string | undefined {
  const next = lastRound + 1n;
  const windows = decodeGroup(group).map(({ signed }) => signed.txn);
  const dead = windows.find(({ firstValid, lastValid }) => next < firstValid || next > lastValid);
  return dead && `txn dead: round ${next} outside of ${dead.firstValid}--${dead.lastValid}`;
}

function json(status: number, body: object): NodeAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
