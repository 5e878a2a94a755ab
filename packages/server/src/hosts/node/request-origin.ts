import type { Socket } from 'node:net';

/** Scheme and authority at which this server was reached: as trusted proxies report them, else the connection's. */
export function originOf(socket: Socket, reported?: { readonly protocol: string; readonly host: string }): string {
  if (reported && /^https?$/i.test(reported.protocol) && /^[a-z0-9.:[\]-]+$/i.test(reported.host)) {
    const origin = `${reported.protocol}://${reported.host}`;
    if (URL.canParse(origin)) return origin;
  }
  const protocol = 'encrypted' in socket ? 'https' : 'http';
  // The scope of a link-local address (`fe80::1%eth0`) means nothing elsewhere, and no URL can have it.
  const address = (socket.localAddress ?? '127.0.0.1').replaceAll(/^::ffff:|%.*$/g, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}
