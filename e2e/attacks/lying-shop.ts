import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** An HTTP answer byte by byte: Node's own server refuses to send what an attacker sends. */
export interface RawAnswer {
  readonly status: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LyingShop {
  readonly url: string;
  stop(): void;
}

/** A shop over HTTP that answers whatever it likes, knowing the value of PAYMENT-SIGNATURE if there is one. */
export async function startLyingShop(answer: (payment: string | undefined) => RawAnswer): Promise<LyingShop> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let asked = '';
    socket.on('data', (chunk) => {
      asked += chunk.toString('latin1');
      if (asked.endsWith('\r\n\r\n')) {
        const payment = /^payment-signature: *(\S+)/im.exec(asked)?.[1];
        socket.end(bytesOf(answer(payment)));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function bytesOf({ status, headers = {}, body = '' }: RawAnswer): Buffer {
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n`),
    Buffer.from(`${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}
