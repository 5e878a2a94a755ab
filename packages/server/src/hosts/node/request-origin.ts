import type { Socket } from 'node:net';

/** Scheme and authority at which this server was reached: as trusted proxies report them, else the connection's. */
export function originOf(socket: Socket, reported?: { readonly protocol: string; readonly host: string }): string {
  if (reported && /^https?$/i.test(reported.protocol) && /^[a-z0-9.:[\]-]+$/i.test(reported.host)) {
    return `${reported.protocol}://${reported.host}`;
  }
  const protocol = 'encrypted' in socket ? 'https' : 'http';
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}
