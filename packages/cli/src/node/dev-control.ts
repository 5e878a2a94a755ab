import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import { nodeOf } from '../options/environment.ts';
import type { Terminal } from '../command/terminal.ts';

/** The parts of the terminal that a command needs to ask its node. */
export type Developer = Pick<Terminal, 'environment' | 'fetch'>;

/** Sends a request to one of the developer controls, which only a development node on this machine has. */
export function devControl(
  { environment, fetch }: Developer,
  method: 'GET' | 'POST',
  route: string,
): Promise<Response> {
  const { url, token = DEVELOPMENT_ALGOD.token } = nodeOf(environment);
  return fetch(url.replace(/\/+$/, '') + route, { method, headers: { 'X-Algo-API-Token': token } });
}
