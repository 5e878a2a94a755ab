import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LEFT_GRACE_MS } from '../../response/responder.ts';

/** Follows what a handler writes on its way to the connection. */
export class Delivery {
  readonly #response: ServerResponse;
  readonly #isFinished: () => boolean;
  readonly #bytesBefore: number;
  /** Parts that the connection has not confirmed to have taken. */
  #onTheWay = 0;
  #hasWritten = false;
  #isDestroyed = false;
  #isEnded = false;
  #hasGivenUp = false;
  #stepped: () => void = () => undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isFinished = finishedWhole(response);
    this.#bytesBefore = response.req.socket.bytesWritten;
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

  /** Announces a part that is about to be written. Call the returned function once the connection has taken it. */
  writing(): (error?: Error | null) => void {
    this.#hasWritten = true;
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

  /**
   * Resolves to whether all that the handler wrote was handed to the connection. It does not matter that the client
   * closed it before the protocol's last bytes: it has had the answer. False if bytes were left, if the client left before
   * there were any, or if the connection was closed at this end: the handler has failed.
   */
  async isWhole(): Promise<boolean> {
    const { socket } = this.#response.req;
    if (!this.#response.closed) await new Promise((resolve) => this.#response.once('close', resolve));
    if (this.#isFinished() || this.#isTakenOver) return true;
    const hasClientLeft = !this.#isDestroyed && (socket.readableEnded || socket.errored !== null);
    if (!hasClientLeft || this.#onTheWay > 0) return false;
    if (!this.#isEnded && !this.#hasGivenUp) await this.#nextStep();
    return this.#onTheWay === 0 && (this.#hasWritten || this.#isEnded);
  }

  /**
   * Whether the handler has taken the connection over, e.g. for a WebSocket: that was one session, whoever has ended it.
   * Bytes are not the response's own before its head.
   */
  get #isTakenOver(): boolean {
    const { headersSent, req } = this.#response;
    return req.headers.upgrade !== undefined && !headersSent && req.socket.bytesWritten > this.#bytesBefore;
  }

  /**
   * Resolves when the handler writes more, ends or gives up. A handler that does nothing in time counts as having given
   * up.
   */
  #nextStep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LEFT_GRACE_MS);
      this.#stepped = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Time that a connection has to report that it broke while bytes that it had taken were on their way. */
const RESET_MS = 5_000;

/** Callbacks that wait for a sign of a connection's client. */
const awaited = new WeakMap<Socket, () => void>();

/**
 * Whether the client got the last bytes of an answer that its connection has taken; megabytes of them may still be on
 * their way. False if the connection is reset within seconds. A client that sends another request over it has got them.
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
    // A process that ends need not wait: a later request finds the claim dead and runs the handler again.
    timer.unref();
    socket.once('close', close);
    awaited.set(socket, () => tell(true));
  });
}

/** Notes that a client has sent a request. */
export function heardFrom(socket: Socket): void {
  awaited.get(socket)?.();
}

/**
 * Follows a response that has not ended yet. The returned function tells whether the connection has taken all of it.
 * Before Node 24, a response counts as finished, and its writes as done, even if its connection broke.
 */
export function finishedWhole(response: ServerResponse): () => boolean {
  let isWhole = false;
  response.once('finish', () => {
    isWhole = !response.req.socket.destroyed;
  });
  return () => isWhole;
}

/**
 * Closes a response if its connection breaks while it waits behind another one (HTTP pipelining). Before Node 24.16, only
 * the response that has the connection is closed, so whoever waits for the end of another would wait for ever.
 */
export function closeWithConnection(response: ServerResponse): void {
  if (response.socket !== null) return;
  const { socket } = response.req;
  const close = (): void => {
    if (response.closed) return;
    Object.defineProperty(response, 'closed', { value: true });
    response.emit('close');
  };
  // Later than Node itself does it.
  const broken = (): void => void setImmediate(close);
  // A client may have any number of requests wait.
  socket.setMaxListeners(0).once('close', broken);
  response.once('socket', () => socket.off('close', broken));
}
