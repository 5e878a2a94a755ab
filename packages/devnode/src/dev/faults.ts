import { setTimeout } from 'node:timers/promises';
import { notFound, refused } from '../errors.ts';
import { CUT, type Answer } from '../rest/answer.ts';
import type { RestRequest, Route } from '../rest/route.ts';

const MAX_DELAY_MS = 600_000;
const MAX_FAULTS = 1000;
const LOSSES: readonly Fault['lose'][] = ['request', 'answer', undefined];

/** A way in which requests to a route fail. */
export interface Fault {
  /** Method and path as in the table of routes, e.g. `GET /v2/transactions/pending/{txid}`. */
  readonly route: string;
  /** Delay before any work, in ms, at most 600,000. Default 0. */
  readonly delayMs?: number;
  /** HTTP status, 400 to 599, that is answered instead of doing the work. Default: the work is done. */
  readonly status?: number;
  /** When the connection is cut: `request` before any work, `answer` after it. Default: never. */
  readonly lose?: 'request' | 'answer';
  /** How many requests it strikes. Default: all, until it is removed. */
  readonly times?: number;
}

/** A fault that was set, with the number of requests that it has struck. */
export interface SetFault extends Fault {
  readonly id: number;
  readonly struck: number;
}

/** Faults of algod's routes, with which developers test how a program handles them. */
export class Faults {
  readonly #routes = new Set<string>();
  #set: readonly SetFault[] = [];
  #lastId = 0;

  get all(): readonly SetFault[] {
    return this.#set;
  }

  /** Gives the same routes, subject to the faults set for them. Only covered routes can have faults. */
  cover(routes: readonly Route[]): Route[] {
    return routes.map((route) => {
      const name = `${route.method} ${route.path.replaceAll(/:([\w-]+)/g, '{$1}')}`;
      this.#routes.add(name);
      return {
        ...route,
        handle: (parameters, request) => {
          const fault = this.#strike(name);
          const work = (): Answer | Promise<Answer> => route.handle(parameters, request);
          return fault === undefined ? work() : answerWith(fault, request, work);
        },
      };
    });
  }

  /**
   * Adds a fault and gives its id. If a route has several, the oldest one that has strikes left strikes.
   * @throws DevnodeError `refused` for an unknown route and for values out of range
   */
  add(fault: Fault): number {
    const problem = this.#problemOf(fault);
    if (problem !== undefined) throw refused(problem);
    const id = ++this.#lastId;
    this.#set = [...this.#set, { ...fault, id, struck: 0 }];
    return id;
  }

  /** @throws DevnodeError `not_found` (404) */
  remove(id: number): void {
    const left = this.#set.filter((fault) => fault.id !== id);
    if (left.length === this.#set.length) throw notFound(`there is no fault ${id}`);
    this.#set = left;
  }

  clear(): void {
    this.#set = [];
  }

  #problemOf({ route, delayMs = 0, status = 400, lose, times = 1 }: Fault): string | undefined {
    if (this.#set.length >= MAX_FAULTS) return `the limit of ${MAX_FAULTS} faults is reached; remove some first`;
    if (!this.#routes.has(route))
      return `${route} is not a route of algod’s interface; an example is GET /v2/blocks/{round}`;
    if (!isWhole(delayMs, 0, MAX_DELAY_MS)) return `a delay is 0 to ${MAX_DELAY_MS} ms, not ${delayMs}`;
    if (!isWhole(status, 400, 599)) return `the status of a fault is 400 to 599, not ${status}`;
    if (!LOSSES.includes(lose)) return `lose must be request or answer, not ${lose}`;
    return isWhole(times, 1, Number.MAX_SAFE_INTEGER) ? undefined : `times must be at least 1, not ${times}`;
  }

  #strike(route: string): Fault | undefined {
    const fault = this.#set.find(
      (each) => each.route === route && each.struck < (each.times ?? Number.POSITIVE_INFINITY),
    );
    if (fault === undefined) return undefined;
    this.#set = this.#set.map((each) => (each === fault ? { ...each, struck: each.struck + 1 } : each));
    return fault;
  }
}

async function answerWith(
  { delayMs = 0, status, lose }: Fault,
  request: RestRequest,
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  // While a body waits to be read, nobody is told that the client has gone. Unreferenced, so that the timer does not
  // keep the process alive after the server has stopped.
  if (delayMs > 0) await Promise.all([setTimeout(delayMs, undefined, { ref: false }), request.body().catch(() => {})]);
  if (lose === 'request') return CUT;
  if (status !== undefined) return { status, json: { message: 'a fault that was set by a developer control' } };
  const answer = await work();
  return lose === 'answer' ? CUT : answer;
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
