import { devState } from './schema.ts';
import { JsonSource } from '../codec/json-source.ts';
import { DevnodeError } from '../errors.ts';
import { readEvents } from './event-stream.ts';
import type { DevControls } from './dev-controls.ts';

export interface DevControlsOptions {
  /** Origin of the node. */
  readonly url: string;
  /** API token; default 64 × `a`. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

type Query = Readonly<Record<string, bigint | number | boolean | string | undefined>>;

/**
 * A client of a node's developer controls, for programs on the machine that the node runs on: a web page is refused.
 * @throws DevnodeError from every call: `refused` with the node's message, `unreachable` when no node answers at the URL
 * @example
 * ```ts
 * import { createDevControls } from '@avm402/devnode';
 *
 * const controls = createDevControls({ url: 'http://127.0.0.1:4001' });
 * const snapshot = await controls.snapshot();
 * const round = await controls.mine(10);
 * await controls.revert(snapshot);
 * console.log(round);
 * ```
 */
export function createDevControls(options: DevControlsOptions): DevControls {
  const post = (path: string, query?: Query): Promise<string> => call(options, 'POST', path, query);
  return {
    mine: async (rounds = 1) => integer(await post('/dev/mine', { rounds }), 'last-round'),
    setTime: async (timestamp) => void (await post(`/dev/time/set/${timestamp}`)),
    increaseTime: async (seconds) => Number(integer(await post(`/dev/time/increase/${seconds}`), 'timestamp')),
    pause: async () => void (await post('/dev/pause')),
    resume: async () => void (await post('/dev/resume')),
    snapshot: async () => Number(integer(await post('/dev/snapshot'), 'id')),
    revert: async (id) => integer(await post(`/dev/revert/${id}`), 'last-round'),
    reset: async () => void (await post('/dev/reset')),
    fund: async (address, amount) => integer(await post(`/dev/fund/${segment(address)}`, { amount }), 'amount'),
    deal: async (address, assetId, amount) =>
      integer(await post(`/dev/deal/${segment(address)}`, { 'asset-id': assetId, amount }), 'amount'),
    setAuthAddress: async (address, by) => void (await post(`/dev/auth-address/${segment(address)}/${segment(by)}`)),
    setFrozen: async (address, assetId, frozen) =>
      void (await post(`/dev/freeze/${segment(address)}`, { 'asset-id': assetId, frozen })),
    drop: async (txId) => texts(await post(`/dev/drop/${segment(txId)}`)),
    impersonate: async (address) => void (await post(`/dev/impersonate/${segment(address)}`)),
    stopImpersonating: async (address) => void (await call(options, 'DELETE', `/dev/impersonate/${segment(address)}`)),
    addFault: async ({ route, delayMs, status, lose, times }) =>
      Number(integer(await post('/dev/faults', { route, 'delay-ms': delayMs, status, lose, times }), 'id')),
    removeFault: async (id) => void (await call(options, 'DELETE', `/dev/faults/${id}`)),
    async listen(listener) {
      const stop = new AbortController();
      const { body } = await request(options, 'GET', '/dev/events', { signal: stop.signal });
      const onEnd = (): void => {
        if (!stop.signal.aborted) listener.onEnd();
      };
      if (body !== null) void readEvents(body, { ...listener, onEnd });
      return () => stop.abort();
    },
    async dump() {
      const answer = await request(options, 'GET', '/dev/dump', {});
      return new Uint8Array(await answer.arrayBuffer());
    },
    async load(state) {
      const answer = await request(options, 'POST', '/dev/load', { body: Uint8Array.from(state) });
      return integer(await answer.text(), 'last-round');
    },
    async state() {
      const text = await call(options, 'GET', '/dev/state');
      return devState.read(new JsonSource(Buffer.from(text)), devState.zero);
    },
  };
}

const segment = encodeURIComponent;

/** The text of the answer. */
async function call(options: DevControlsOptions, method: string, path: string, query: Query = {}): Promise<string> {
  const response = await request(options, method, path, { query });
  return response.text();
}

interface RequestParts {
  readonly query?: Query;
  readonly signal?: AbortSignal | null;
  readonly body?: Uint8Array<ArrayBuffer> | null;
}

/** The answer, if it is a good one. */
async function request(
  options: DevControlsOptions,
  method: string,
  path: string,
  { query = {}, signal = null, body = null }: RequestParts,
): Promise<Response> {
  const { url, token = 'a'.repeat(64), fetch = globalThis.fetch } = options;
  const target = new URL(path, url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const init = { method, signal, body, headers: { 'X-Algo-API-Token': token } };
  const response = await fetch(target, init).catch((cause: unknown) => {
    throw new DevnodeError('unreachable', `no node answers at ${url}`, { cause });
  });
  if (response.ok) return response;
  const [text, { status }] = [await response.text(), response];
  const code = status === 404 ? 'not_found' : 'refused';
  throw new DevnodeError(code, `the node refused: ${messageOf(text) ?? `status ${status}`}`, { status });
}

function messageOf(text: string): string | undefined {
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return message === undefined ? undefined : String(JSON.parse(message));
}

/** One integer of an answer, exact beyond 2^53. */
function integer(text: string, member: string): bigint {
  const digits = new RegExp(`"${member}":(\\d+)`).exec(text)?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new DevnodeError('refused', `the node's answer has no ${member}`);
}

/** The ids in an answer. */
function texts(text: string): string[] {
  return Array.from(text.matchAll(/"([A-Z2-7]{52})"/g), ([, id = '']) => id);
}
