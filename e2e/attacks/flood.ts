import { Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** Requests that are sent again and again, over many connections at once. */
export interface Flood {
  /** Answers so far, by status; 0 for a connection that broke. */
  readonly answers: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

export interface FloodOptions {
  readonly url: string;
  readonly connections: number;
  /** Address that the connections come from: another one on loopback is another peer. */
  readonly from: string;
  /** Headers of the next request. */
  readonly headers: () => Readonly<Record<string, string>>;
}

export function startFlood({ url, connections, from, headers }: FloodOptions): Flood {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = new Map<number, number>();
  const over = new AbortController();
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      const asking = request(url, { agent, localAddress: from, headers: headers() }, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode ?? 0));
      });
      asking.on('error', () => resolve(0)).end();
    });
  const keepAsking = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const status = await ask();
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
