import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Time that a handler has to show, by writing on, that its client has left before the end. */
const GRACE_MS = 15_000;

/**
 * How a streamed answer ended:
 * `delivered`  all that the handler wrote was handed to the connection. It does not matter that the client closed it
 *              before the protocol's last bytes: it has had the answer;
 * `brokenOff`  bytes were left, or the connection was closed at this end: the handler has failed.
 */
export type DeliveryOutcome = 'delivered' | 'brokenOff';

/** Follows what a handler writes on its way to the connection. */
export class Delivery {
  readonly #response: ServerResponse;
  readonly #isWhole: () => boolean;
  /** Parts of which the connection has not said that it has taken them. */
  #onTheWay = 0;
  #isDestroyed = false;
  #isEnded = false;
  #hasGivenUp = false;
  #stepped: () => void = () => undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isWhole = finishedWhole(response);
    const destroy = response.destroy.bind(response);
    response.destroy = (error) => {
      if (!response.closed) this.#isDestroyed = true;
      this.#hasGivenUp = true;
      this.#stepped();
      return destroy(error);
    };
  }

  /** Whether the handler has said that its answer is complete. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** A part is about to be written; to be called back once the connection has taken it. */
  writing(): (error?: Error | null) => void {
    this.#onTheWay++;
    this.#stepped();
    return (error) => {
      if (!error && !this.#response.req.socket.destroyed) this.#onTheWay--;
    };
  }

  /** Nothing more will be written. */
  ending(): void {
    this.#isEnded = true;
    this.#stepped();
  }

  /** Resolves when the response has left or broke off. */
  async outcome(): Promise<DeliveryOutcome> {
    const { socket } = this.#response.req;
    if (!this.#response.closed) await new Promise((resolve) => this.#response.once('close', resolve));
    if (this.#isWhole()) return 'delivered';
    const hasClientLeft = !this.#isDestroyed && (socket.readableEnded || socket.errored !== null);
    if (!hasClientLeft || this.#onTheWay > 0) return 'brokenOff';
    if (!this.#isEnded && !this.#hasGivenUp) await this.#nextStep();
    return this.#onTheWay > 0 ? 'brokenOff' : 'delivered';
  }

  /** Resolves when the handler writes on, ends, or gives up; one that does nothing has given up, too. */
  #nextStep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GRACE_MS);
      this.#stepped = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Time that a connection has to say that it broke while what it had taken was on its way. */
const RESET_MS = 5_000;

/** Who waits for word of a connection's client. */
const awaited = new WeakMap<Socket, () => void>();

/**
 * Whether the client had the last bytes of an answer that its connection has taken, megabytes of which may still be on their
 * way: not if the connection is reset within seconds. A client that asks for more over it has had them.
 */
export function hadLastBytes({ req: { socket } }: ServerResponse): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(socket.errored === null);
  return new Promise((resolve) => {
    const tell = (hadThem: boolean): void => {
      clearTimeout(timer);
      socket.off('close', close);
      awaited.delete(socket);
      resolve(hadThem);
    };
    const close = (): void => tell(socket.errored === null);
    const timer = setTimeout(() => tell(true), RESET_MS);
    // A process that ends needs not wait: whoever finds the claim dead runs the handler again.
    timer.unref();
    socket.once('close', close);
    awaited.set(socket, () => tell(true));
  });
}

/** A client has sent a request. */
export function heardFrom(socket: Socket): void {
  awaited.get(socket)?.();
}

/**
 * Follows a response that has not ended yet; the function tells whether its connection has taken all of it. Before Node 24 a
 * response counts as finished, and its writes as done, although its connection broke.
 */
export function finishedWhole(response: ServerResponse): () => boolean {
  let isWhole = false;
  response.once('finish', () => {
    isWhole = !response.req.socket.destroyed;
  });
  return () => isWhole;
}
