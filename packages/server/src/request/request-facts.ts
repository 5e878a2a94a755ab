/** What is known of a request, whatever app it came to. */
export interface RequestFacts {
  /** What the app knows the request by. */
  readonly subject: object;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Path and query as the app has changed them. */
  readonly url: string;
  /** The path of `url`. */
  readonly path: string;
  /** The path of `url` below the router that takes the payment. */
  readonly mountedPath: string;
  /** The host that was asked: as a proxy that the app trusts says, else as the request does. */
  readonly host: string;
  /** Scheme and authority where a trusted proxy or the socket says that this server is; never the asker's word. */
  readonly origin: string;
  /** Address of the client, as a proxy that the app trusts says, else of the connection. Empty if it is not known. */
  readonly address: string;
  /** Parameters of the query. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as middleware before has read it, if any has. */
  readonly body: unknown;
  /** A header, its name in any case. */
  header(name: string): string | undefined;
  /** Removes headers, so that nobody after sees them. */
  withoutHeaders(names: ReadonlySet<string>): void;
  /**
   * The body's bytes, part by part, which stay readable for whoever comes after. Undefined if there are more than `limit`, or
   * something else has read them and did not keep them.
   * @param keep - told of each part's bytes before it is kept; what it throws ends the reading
   */
  bodyParts(limit: number, keep: (bytes: number) => void): Promise<readonly Uint8Array[] | undefined>;
}
