import type { IncomingMessage } from 'node:http';
import { TransportRefusal } from './transport-refusal.ts';

export const NOT_FOR_PAGES = 'This route does not answer web pages: send the request without an Origin header';

/** Whether a socket's remote address is this machine. */
function isLoopback(remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined) return false;
  const address = remoteAddress.replace(/^::ffff:/i, '');
  return address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/**
 * Refuses web pages: with the well-known token, any page that the developer opens could control the node. Browsers send
 * `Origin` with every POST, even to the page's own host.
 * @throws TransportRefusal 403
 */
export function refusePage({ headers }: IncomingMessage): void {
  // Differs from algod: no-pages
  if (headers.origin === undefined) return;
  throw new TransportRefusal(403, NOT_FOR_PAGES);
}

/**
 * Refuses all callers but programs on this machine. `Host` is checked because a page can make its own name point here
 * (DNS rebinding): only addresses, `localhost` and the name that the node listens on are accepted.
 * @throws TransportRefusal 403
 */
export function refuseAllButLocalPrograms(incoming: IncomingMessage, ownHost: string): void {
  if (!isLoopback(incoming.socket.remoteAddress)) {
    throw new TransportRefusal(403, 'Developer controls answer only on the machine that the node runs on');
  }
  refusePage(incoming);
  const name = (incoming.headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (name === ownHost.toLowerCase() || isLocalName(name)) return;
  throw new TransportRefusal(403, 'Developer controls are called by the address of this machine, e.g. 127.0.0.1');
}

function isLocalName(name: string): boolean {
  return /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\]|(?:[\w-]+\.)*localhost)$/.test(name);
}
