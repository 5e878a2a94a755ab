import type { Socket } from 'node:net';

/** Scheme, address and port that a connection has reached this server at. */
export function socketOrigin(socket: Socket): string {
  const protocol = 'encrypted' in socket ? 'https' : 'http';
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}
