import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import { DevnodeError } from '../errors.ts';
import type { AnyControl, Values } from './control.ts';
import { CONTROLS, controlsBy, type ControlName } from './control-table.ts';
import type { DevControls } from './dev-controls.ts';
import { EVENTS_PATH, readEvents } from './event-stream.ts';
import type { EventListener } from './events.ts';

export interface DevControlsOptions {
  /** Origin of the node. */
  readonly url: string;
  /** API token; default 64 × `a`. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** Called with an error that a listener of events throws; the next event comes anyway. Default: prints it to stderr. */
  readonly onListenerError?: (error: unknown) => void;
}

/**
 * Creates a client of a node's developer controls, for programs on the node's own machine. Web pages are refused.
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
  const { onListenerError = (error: unknown) => console.error('a listener of events failed:', error) } = options;
  return {
    ...controlsBy((control, args) => ask(options, control, args)),
    async listen(listener) {
      const stop = new AbortController();
      const { body } = await answerOf(options, EVENTS_PATH, { signal: stop.signal });
      const unlessStopped = (call: () => void): void => {
        if (stop.signal.aborted) return;
        try {
          call();
        } catch (error) {
          onListenerError(error);
        }
      };
      const told: EventListener = {
        onEvent: (event) => unlessStopped(() => listener.onEvent(event)),
        onEnd: () => unlessStopped(() => listener.onEnd()),
      };
      if (body !== null) void readEvents(body, told);
      return () => stop.abort();
    },
  };
}

/**
 * Calls a control by its name, with values for the parameters of its route. The node checks them.
 * @throws DevnodeError as the methods of `createDevControls` do
 */
export function askControl(options: DevControlsOptions, name: ControlName, values: Values): Promise<unknown> {
  return send(options, CONTROLS[name], values);
}

function ask(options: DevControlsOptions, control: AnyControl, args: readonly unknown[]): Promise<unknown> {
  const written = args.map((value, index) => control.takes[index]?.write(value));
  const body = written.find((each) => each instanceof Uint8Array);
  const values: Values = Object.assign({}, ...written.filter((each) => !(each instanceof Uint8Array)));
  return send(options, control, values, body);
}

async function send(
  options: DevControlsOptions,
  { method = 'POST', path, gives }: AnyControl,
  values: Values,
  body?: Uint8Array,
): Promise<unknown> {
  const target = path.replaceAll(/:([\w-]+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && !path.includes(`:${name}`)) query.set(name, String(value));
  }
  const init = { method, body: body === undefined ? null : Uint8Array.from(body) };
  return gives.read(await request(options, `${target}?${query.toString()}`, init));
}

/**
 * Sends a request to the node; gives the body of its answer if it is a success.
 * @throws DevnodeError `refused` or `not_found` with the node's message, `unreachable`
 */
export async function request(options: DevControlsOptions, path: string, init: RequestInit = {}): Promise<Uint8Array> {
  return bodyOf(options, await answerOf(options, path, init));
}

async function answerOf(options: DevControlsOptions, path: string, init: RequestInit): Promise<Response> {
  const { url, token = DEVELOPMENT_ALGOD.token, fetch = globalThis.fetch } = options;
  const headers = { 'X-Algo-API-Token': token };
  const response = await fetch(new URL(path, url), { ...init, headers }).catch(unreachable(options));
  if (response.ok) return response;
  const [body, { status }] = [await bodyOf(options, response), response];
  const code = status === 404 ? 'not_found' : 'refused';
  throw new DevnodeError(code, `the node refused: ${messageOf(body) ?? `status ${status}`}`, { status });
}

async function bodyOf(options: DevControlsOptions, response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer().catch(unreachable(options)));
}

function unreachable({ url }: DevControlsOptions): (cause: unknown) => never {
  return (cause) => {
    throw new DevnodeError('unreachable', `no node answers at ${url}`, { cause });
  };
}

function messageOf(body: Uint8Array): string | undefined {
  try {
    const message = memberOf(JSON.parse(Buffer.from(body).toString()), 'message');
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** A member of an object; undefined if there is none. */
export function memberOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
}
