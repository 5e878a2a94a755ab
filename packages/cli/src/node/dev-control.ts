import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import type { Terminal } from '../terminal.ts';

/** The parts of the terminal that a command needs to ask its node. */
export type Developer = Pick<Terminal, 'environment' | 'fetch'>;

/** Sends a request to one of the developer controls, which only a development node on this machine has. */
export function devControl(
  { environment, fetch }: Developer,
  method: 'GET' | 'POST',
  route: string,
): Promise<Response> {
  const url = environment['ALGOD_URL'] || DEVELOPMENT_ALGOD.url;
  const token = environment['ALGOD_TOKEN'] || DEVELOPMENT_ALGOD.token;
  return fetch(url.replace(/\/+$/, '') + route, { method, headers: { 'X-Algo-API-Token': token } });
}
