import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** Requests that are sent again and again, over many connections at once. */
export interface Flood {
  /** Answers so far, by status; 0 for a connection that broke. */
  readonly answers: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

interface FloodRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON to POST; without it the request is a GET. */
  readonly body?: string;
}

export interface FloodOptions {
  readonly connections: number;
  /** Address that the connections come from: another one on loopback is another peer. */
  readonly from: string;
  readonly next: () => FloodRequest;
}

export function startFlood({ connections, from, next }: FloodOptions): Flood {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = new Map<number, number>();
  const over = new AbortController();
  const ask = ({ url, headers = {}, body }: FloodRequest): Promise<number> =>
    new Promise((resolve) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asking = request(url, { agent, localAddress: from, method, headers }, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode ?? 0));
      });
      asking.on('error', () => resolve(0)).end(body);
    });
  const keepAsking = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const status = await ask(next());
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 0) await setTimeout(10);
    }
  };
  const connected = Array.from({ length: connections }, () => keepAsking());
  return {
    answers,
    stop: async () => {
      over.abort();
      agent.destroy();
      await Promise.all(connected);
    },
  };
}

/** One after the other of a list, again and again. */
export function inTurn<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => {
    const item = items[next++ % items.length];
    if (item === undefined) throw new Error('nothing to send');
    return item;
  };
}
