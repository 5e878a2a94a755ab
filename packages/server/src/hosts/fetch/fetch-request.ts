import { membersIn } from '@avm402/core/unknown-json';
import { belowMount, isOpen } from '../../routes/path-readings.ts';
import { parametersOf, type RequestFacts } from '../../request/request-facts.ts';

/** What the host knows about a request besides the `Request`. */
export interface FetchRequestOptions {
  /** Address of the client. */
  readonly address?: string | undefined;
  /** The path that the host routes by, if it differs from the URL's. */
  readonly path?: string;
  /** The patterns of the paths that the payment middleware is mounted below, if any; the innermost comes first. */
  readonly mounts?: readonly string[];
}

/** A request given as a web `Request`. */
export class FetchRequest implements RequestFacts {
  readonly subject: Request;
  readonly address: string;
  /** A `Request` names any host that its sender likes, so hosts that take one insist on the option `publicUrl`. */
  readonly origin = '';
  readonly body = undefined;
  readonly #url: URL;
  readonly path: string;
  readonly mountedPath: string;
  readonly isMountOpen: boolean;
  readonly routedPaths: readonly string[];

  constructor(request: Request, { address, path, mounts = [] }: FetchRequestOptions) {
    this.subject = request;
    this.address = address ?? '';
    this.#url = new URL(request.url);
    this.path = path ?? this.#url.pathname;
    const [mountedPath = this.path, ...routedPaths] = mounts.map((mount) => belowMount(this.path, mount));
    this.mountedPath = mountedPath;
    // A proxy of Next finds base path and locale in the URL, and routes by the path without them.
    const { pathname } = membersIn(membersIn(request)['nextUrl']);
    this.routedPaths = typeof pathname === 'string' ? [...routedPaths, pathname] : routedPaths;
    this.isMountOpen = mounts.some(isOpen);
  }

  get method(): string {
    return this.subject.method;
  }

  get target(): string {
    return `${this.#url.pathname}${this.#url.search}`;
  }

  get url(): string {
    return this.target;
  }

  get host(): string {
    return this.header('host') ?? this.#url.host;
  }

  get query(): Readonly<Record<string, unknown>> {
    return parametersOf(this.#url.searchParams);
  }

  header(name: string): string | undefined {
    return this.subject.headers.get(name) ?? undefined;
  }

  withoutHeaders(names: ReadonlySet<string>): void {
    const kept = new Headers(this.subject.headers);
    for (const name of names) kept.delete(name);
    try {
      for (const name of names) this.subject.headers.delete(name);
    } catch {
      // Where a runtime's own headers can't be changed, these hide them.
      Object.defineProperty(this.subject, 'headers', { value: kept, configurable: true });
    }
  }

  async bodyParts(limit: number, keep: (bytes: number) => void): Promise<readonly Uint8Array[] | undefined> {
    const { subject } = this;
    if (subject.body === null) return [];
    if (subject.bodyUsed || Number(this.header('content-length') ?? 0) > limit) return undefined;
    const source = subject.clone().body?.getReader();
    const parts: Uint8Array[] = [];
    let size = 0;
    try {
      for (;;) {
        // The read fails if the client leaves before the end of its body.
        const next = await source?.read().catch(() => undefined);
        if (next === undefined) return undefined;
        if (next.done) return parts;
        size += next.value.length;
        if (size > limit) return undefined;
        keep(next.value.length);
        parts.push(next.value);
      }
    } finally {
      source?.cancel().catch(() => undefined);
    }
  }
}
