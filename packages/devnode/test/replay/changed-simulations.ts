import { Agent } from 'node:http';
import * as fc from 'fast-check';
import { startDevnode } from '../../src/start-devnode.ts';
import { exchange } from './exchange.ts';
import { readScenario, readVector, type RecordedRequest } from './recording.ts';

const TOKEN = 'a'.repeat(64);

/** What came of changed requests. */
export interface Outcome {
  readonly sent: number;
  readonly internalErrors: readonly unknown[];
  /** The longest time that an answer took. */
  readonly slowestMs: number;
}

/**
 * Replays a scenario of applications and sends each of its simulations again, `times` times, with a few bytes of its
 * body changed: programs, arguments, references and options of all kinds.
 */
export async function changedSimulations(name: string, times: number): Promise<Outcome> {
  const internalErrors: unknown[] = [];
  const node = await startDevnode({
    port: 0,
    token: TOKEN,
    genesis: readVector('genesis.json'),
    strict: true,
    onInternalError: (error) => internalErrors.push(error),
  });
  const agent = new Agent({ keepAlive: true });
  let [sent, slowestMs] = [0, 0];
  const send = async (request: RecordedRequest): Promise<void> => {
    const began = performance.now();
    await exchange(node.url, agent, request);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    sent++;
  };
  for (const { request } of readScenario('applications', name).exchanges) {
    await send(request);
    if (!request.path.includes('/simulate')) continue;
    for (const changed of fc.sample(changedRequest(request), times)) await send(changed);
  }
  agent.destroy();
  await node.stop();
  return { sent, internalErrors, slowestMs };
}

function changedRequest(request: RecordedRequest): fc.Arbitrary<RecordedRequest> {
  const body = Buffer.from(request.bodyBase64 ?? '', 'base64');
  const change = fc.record({ at: fc.nat({ max: Math.max(body.length - 1, 0) }), byte: fc.nat({ max: 255 }) });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const changed = Buffer.from(body);
    for (const { at, byte } of changes) changed[at] = byte;
    return { ...request, bodyBase64: changed.toString('base64') };
  });
}
