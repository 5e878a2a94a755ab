import { Agent, request as startRequest } from 'node:http';
import type { HttpExchange } from '@avm402/algorand/http-exchange';

/** Exchanges by one kept connection, for runs whose time would go to `fetch`. */
export function keepAlive(): HttpExchange {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return ({ method, url, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': String(body?.length ?? 0) };
      const request = startRequest(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      });
      request.on('error', reject).end(body);
    });
}
