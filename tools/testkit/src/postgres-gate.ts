import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A place in front of a database through which connections to it go. */
export interface PostgresGate extends AsyncDisposable {
  /** The database's URL, through the gate. */
  readonly url: string;
  /** Queries that come from now on wait. */
  shut(): void;
  open(): void;
  /** Breaks all connections, of which neither side hears first; new ones go through. */
  breakConnections(): void;
}

/** Stands in front of the database of this URL. */
export async function gateTo(database: string): Promise<PostgresGate> {
  const { hostname, port, pathname } = new URL(database);
  const connections = new Map<Socket, Socket>();
  let isShut = false;
  const gate = createServer((asking) => {
    const onward = connect(Number(port), hostname);
    connections.set(asking, onward);
    for (const socket of [asking, onward]) socket.on('error', () => socket.destroy());
    onward.pipe(asking);
    if (!isShut) asking.pipe(onward);
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const breakConnections = (): void => {
    for (const sockets of connections) for (const socket of sockets) socket.destroy();
    connections.clear();
  };
  return {
    url: `postgres://avm402@127.0.0.1:${(gate.address() as AddressInfo).port}${pathname}`,
    shut: () => {
      isShut = true;
      for (const asking of connections.keys()) asking.unpipe().pause();
    },
    open: () => {
      isShut = false;
      for (const [asking, onward] of connections) asking.pipe(onward);
    },
    breakConnections,
    async [Symbol.asyncDispose]() {
      breakConnections();
      gate.close();
      await once(gate, 'close');
    },
  };
}
