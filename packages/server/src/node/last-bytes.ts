import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
