import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Devnode } from '../../src/start-devnode.ts';
import { decodeRaw } from '../replay/raw-msgpack.ts';
import { mutatedRequest, routeRequests, type RawRequest } from './mutated-request.ts';
import { openSocket, parseAnswer, readToEnd, requestBytes, type RawAnswer } from './raw-socket.ts';

/** What algod answers with 500, too: look-ups that its database can't make, and state proofs in a simulation. */
const ALGOD_500 = [
  'failed to retrieve information from the ledger',
  'given round is greater than the latest round',
  'cannot simulate StateProof transactions',
  'the participation ID was not found',
  'ledger does not have entry',
  'before dbRound',
];

/** Sends mutated requests one after another; each must get one well-formed answer that algod might give, too. */
export async function fuzzRequests(node: Devnode, inputs: number): Promise<void> {
  const swagger = (await (await fetch(`${node.url}/swagger.json`)).json()) as { paths: Record<string, object> };
  const judged = fc.asyncProperty(mutatedRequest(routeRequests(swagger)), async (request) =>
    judge(request, await send(node, request)),
  );
  await fc.assert(judged, { numRuns: inputs, endOnFailure: true });
}

/** Sends random bytes; the node may answer anything that is HTTP, or close. */
export async function fuzzBytes(node: Devnode, inputs: number): Promise<void> {
  const judged = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
    const socket = await openSocket(node.url);
    socket.end(bytes);
    const received = await readToEnd(socket);
    if (received.length > 0) expect(parseAnswer(received)?.status).toBeLessThan(500);
  });
  await fc.assert(judged, { numRuns: inputs, endOnFailure: true });
}

async function send(node: Devnode, request: RawRequest): Promise<RawAnswer | undefined> {
  const socket = await openSocket(node.url);
  socket.end(requestBytes(request));
  return parseAnswer(await readToEnd(socket));
}

function judge(request: RawRequest, answer: RawAnswer | undefined): void {
  expect(answer, `${request.method} ${request.path} got no answer`).toBeDefined();
  if (!answer) return;
  const body = answer.headers.get('content-encoding') === 'gzip' ? gunzipSync(answer.body) : answer.body;
  if (answer.status === 500)
    expect(
      ALGOD_500.some((text) => body.includes(text)),
      body.toString(),
    ).toBe(true);
  expect(answer.headers.get('content-length') ?? '0').toBe(String(answer.body.length));
  const type = answer.headers.get('content-type');
  if (type === 'application/json') expect(() => void JSON.parse(body.toString())).not.toThrow();
  if (type === 'application/msgpack') expect(() => decodeRaw(body)).not.toThrow();
}
