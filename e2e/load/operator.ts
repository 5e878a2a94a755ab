import { setTimeout as sleep } from 'node:timers/promises';

export interface OperatorOptions {
  /** Origins of the replicas that run. */
  readonly urls: () => readonly string[];
  /** Sends ALGO to the sponsor. */
  readonly refill: () => Promise<void>;
}

/** Watches the facilitators: reads the metrics of all of them, and refills the sponsor when they say that it is empty. */
export interface Operator {
  /** Answers of `/metrics` so far. */
  readonly scrapes: number;
  /** How often the sponsor was found empty and refilled. */
  readonly refills: number;
  /** Resolves when that has happened. */
  readonly refilled: Promise<void>;
  stop(): Promise<void>;
}

const PAUSE_MS = 500;

export function startOperator({ urls, refill }: OperatorOptions): Operator {
  const { promise: refilled, resolve: tellOfRefill } = Promise.withResolvers<void>();
  const seen = { scrapes: 0, refills: 0, refilled };
  let wasEmpty = false;
  const stopped = new AbortController();

  const look = async (): Promise<void> => {
    const pages = await Promise.all(urls().map(scrape));
    const answered = pages.filter((page) => page !== undefined);
    seen.scrapes += answered.length;
    const isEmpty = answered.some((page) => page.includes('avm402_problems{code="sponsor_empty"'));
    if (isEmpty && !wasEmpty) {
      await refill();
      seen.refills++;
      tellOfRefill();
    }
    wasEmpty = isEmpty;
  };
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      await look();
      await sleep(PAUSE_MS);
    }
  })();
  return Object.assign(seen, {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  });
}

/** Returns the metrics of a replica; undefined while it is dead. */
async function scrape(url: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/metrics`).catch(() => undefined);
  return answer?.ok === true ? answer.text().catch(() => undefined) : undefined;
}
