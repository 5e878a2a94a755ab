import { Agent } from 'node:http';
import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import * as fc from 'fast-check';
import { startDevnode } from '../../src/start-devnode.ts';
import { exchange } from './exchange.ts';
import { readScenario, readVector, type RecordedRequest } from './recording.ts';

const TOKEN = 'a'.repeat(64);

/** What came of changed requests. */
export interface Outcome {
  /** How many of the changed simulations ran a program. */
  readonly ran: number;
  readonly internalErrors: readonly unknown[];
  /** The longest time that an answer took. */
  readonly slowestMs: number;
}

/**
 * Replays a scenario of applications and sends each of its simulations again, `times` times, without signatures and with
 * a few bytes of its body changed: programs, arguments, references and options of all kinds.
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
  let [ran, slowestMs] = [0, 0];
  const send = async (request: RecordedRequest): Promise<Buffer> => {
    const began = performance.now();
    const { body } = await exchange(node.url, agent, request);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    return body;
  };
  for (const { request } of readScenario('applications', name).exchanges) {
    await send(request);
    if (!request.path.includes('/simulate')) continue;
    for (const changed of fc.sample(changedRequest(request), times)) {
      if ((await send(changed)).includes('app-budget-consumed')) ran++;
    }
  }
  agent.destroy();
  await node.stop();
  return { ran, internalErrors, slowestMs };
}

function changedRequest(request: RecordedRequest): fc.Arbitrary<RecordedRequest> {
  const body = unsigned(Buffer.from(request.bodyBase64 ?? '', 'base64'));
  // A change of any byte mostly makes a body that can't be read; a change in a value reaches whatever reads the value.
  return fc
    .oneof(changedWithin(body, body), ...byteStringsOf(decoded(body)).map((value) => changedWithin(body, value)))
    .map((changed) => ({ ...request, bodyBase64: changed.toString('base64') }));
}

/** The body with a few bytes changed in one of its parts. */
function changedWithin(body: Buffer, part: Uint8Array): fc.Arbitrary<Buffer> {
  const start = body.indexOf(part);
  const change = fc.record({ at: fc.nat({ max: Math.max(part.length - 1, 0) }), byte: fc.nat({ max: 255 }) });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const changed = Buffer.from(body);
    for (const { at, byte } of changes) changed[start + at] = byte;
    return changed;
  });
}

/** The body without signatures, which any change would make wrong before a program runs. */
function unsigned(body: Buffer): Buffer {
  const request = decoded(body);
  if (!(request instanceof Map)) return body;
  return Buffer.from(encodeMsgpack(withoutSignatures(request.set('allow-empty-signatures', true))));
}

function withoutSignatures(value: MsgpackValue): MsgpackValue {
  if (Array.isArray(value)) return value.map(withoutSignatures);
  if (!(value instanceof Map)) return value;
  return new Map([...value].flatMap(([key, member]) => (key === 'sig' ? [] : [[key, withoutSignatures(member)]])));
}

/** undefined: it is JSON. */
const decoded = (body: Buffer): MsgpackValue | undefined => (body[0] === 0x7b ? undefined : decodeMsgpack(body));

/** Programs, arguments, names, addresses. */
function byteStringsOf(value: MsgpackValue | undefined): readonly Uint8Array[] {
  if (value instanceof Uint8Array) return value.length === 0 ? [] : [value];
  const members = value instanceof Map ? [...value.values()] : Array.isArray(value) ? value : [];
  return members.flatMap(byteStringsOf);
}
