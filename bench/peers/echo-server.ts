import { once } from 'node:events';
import { createServer } from 'node:http';
import { announce } from '../harness/announce.ts';

/** The least that a JSON service does: read a body, parse it, answer. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const answer = JSON.stringify({ isValid: typeof parsed === 'object' });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
announce('echo-server', server);
