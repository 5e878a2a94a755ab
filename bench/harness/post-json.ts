import { Agent, request } from 'node:http';

/** Keeps connections open, as the servers that call a facilitator do. */
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a JSON text and reads the whole JSON answer, with less CPU than `fetch` takes, so that it disturbs less. */
export function postJson(url: string, body: string): Promise<JsonAnswer> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        } catch {
          reject(new Error(`HTTP ${response.statusCode} without JSON`));
        }
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
