/** What is known about a request, independent of the framework. */
export interface RequestFacts {
  /** The object by which the app knows the request. */
  readonly subject: object;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Path and query as the app has changed them. */
  readonly url: string;
  /** The path of `url`. */
  readonly path: string;
  /** The path of `url` below the router that takes the payment; whole if `isMountOpen`. */
  readonly mountedPath: string;
  /** Whether the router is mounted below a path of any length: a key then matches any end of `path` that starts at a slash. */
  readonly isMountOpen?: boolean;
  /** More paths that keys may be written for: below a router around that one, and as the host's router has read `path`. */
  readonly routedPaths?: readonly string[];
  /** Whether it came over HTTP/2 to Node, whose responses then hide when they are closed, and what has arrived. */
  readonly isOverHttp2?: boolean;
  /** The host that was asked: as a proxy that the app trusts reports it, else as the request does. */
  readonly host: string;
  /** This server's scheme and authority, as a trusted proxy or the socket reports them, never as the client does. */
  readonly origin: string;
  /** The client's address, as a proxy that the app trusts reports it, else the connection's. Empty if it is unknown. */
  readonly address: string;
  /** Parameters of the query. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as earlier middleware has parsed it, if any has. */
  readonly body: unknown;
  /** A header, by its name in any case. */
  header(name: string): string | undefined;
  /** Removes headers, so that later handlers don't see them. */
  withoutHeaders(names: ReadonlySet<string>): void;
  /**
   * The body's bytes in parts; they stay readable for later handlers. Undefined if there are more than `limit`, or if
   * something else has read them and did not keep them.
   * @param keep - called with the number of bytes of each part before it is kept; an error that it throws ends the
   * reading
   */
  bodyParts(limit: number, keep: (bytes: number) => void): Promise<readonly Uint8Array[] | undefined>;
}

/** The parameters of a query by name: a string, or a list if a name occurs more than once. */
export function parametersOf(query: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const names = new Set(query.keys());
  return Object.fromEntries(
    Array.from(names, (name) => {
      const [first = '', ...more] = query.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
}
