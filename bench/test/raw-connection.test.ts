import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { RawConnection } from '../harness/raw-connection.ts';

it('says of every request on a connection that was cut that it failed, and never waits for an answer', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.resetAndDestroy())).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  const connection = await RawConnection.open(`http://127.0.0.1:${address.port}`);
  await expect(connection.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).rejects.toThrow();
  await expect(connection.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).rejects.toThrow(/closed/);
  connection.close();
  server.close();
});
