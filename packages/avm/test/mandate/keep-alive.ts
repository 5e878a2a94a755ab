import { connect, type Socket } from 'node:net';
import type { HttpExchange } from '@avm402/algorand/http-exchange';

const HEAD_END = '\r\n\r\n';

/**
 * Exchanges by one kept connection, one after another, for runs whose time would go to an HTTP client. The node says how
 * long each of its answers is.
 */
export function keepAlive(): HttpExchange {
  const sockets = new Map<string, Socket>();
  return ({ method, url, headers, body = new Uint8Array(0) }) => {
    const { host, hostname, port, pathname, search } = new URL(url);
    const named = Object.entries({ ...headers, host, 'content-length': String(body.length) });
    const head = [`${method} ${pathname}${search} HTTP/1.1`, ...named.map(([name, value]) => `${name}: ${value}`)];
    const socket = sockets.get(host) ?? connect(Number(port), hostname).setNoDelay(true);
    if (!sockets.has(host)) socket.once('close', () => sockets.delete(host));
    sockets.set(host, socket);
    socket.write(Buffer.concat([Buffer.from(head.join('\r\n') + HEAD_END, 'latin1'), body]));
    return answerOn(socket);
  };
}

function answerOn(socket: Socket): ReturnType<HttpExchange> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const broke = (error?: Error): void => reject(error ?? new Error('the node closed the connection'));
    const read = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const end = received.indexOf(HEAD_END);
      const head = received.toString('latin1', 0, Math.max(end, 0));
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
      const body = received.subarray(end + HEAD_END.length);
      if (end < 0 || body.length < length) return;
      socket.off('data', read).off('error', broke).off('end', broke);
      resolve({ status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), body });
    };
    socket.on('data', read).once('error', broke).once('end', broke);
  });
}
