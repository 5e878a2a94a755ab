import type { FastifyInstance, FastifyRequest as Request } from 'fastify';
import { NodeRequest } from '../node/node-request.ts';
import { originOf } from '../node/request-origin.ts';
import { belowMount, pathOfTarget } from '../../routes/path-readings.ts';

/** A colon, which is written twice; a parameter's name, with the expression behind it; the wildcard at the end. */
const PARAMETER = /::|:([^/(.-]+)(?:\((?:\\.|\((?:\\.|[^\\()])*\)|[^\\()])*\))?|\*$/g;

/** A request to a Fastify app. It trusts the proxies of the option `trustProxy`. */
export class FastifyRequest extends NodeRequest {
  readonly #request: Request;
  readonly #mount: string;

  /** @param mount the prefix of the plugin that takes the payment */
  constructor(request: Request, mount: string) {
    super(request.raw);
    this.#request = request;
    this.#mount = mount;
  }

  override get target(): string {
    return this.#request.originalUrl;
  }

  override get url(): string {
    return this.#request.url;
  }

  /** Fastify's router may take a semicolon for the start of the query (`useSemicolonDelimiter`). */
  override get mountedPath(): string {
    return belowMount(pathOfTarget(this.url).split(';', 1)[0] ?? '', this.#mount);
  }

  get routedPaths(): readonly string[] {
    const { url } = this.#request.routeOptions;
    if (url === undefined) return [];
    const below = url.startsWith(this.#mount) ? url.slice(this.#mount.length) : url;
    return [url, below.startsWith('/') ? below : `/${below}`].map((pattern) => filled(pattern, this.#request.params));
  }

  override get host(): string {
    return this.#request.host;
  }

  override get origin(): string {
    const { protocol } = this.#request;
    return originOf(this.subject.socket, this.#isFromTrustedProxy() ? { protocol, host: this.host } : undefined);
  }

  override get address(): string {
    return this.#request.ip;
  }

  override get query(): Readonly<Record<string, unknown>> {
    const { query } = this.#request;
    return typeof query === 'object' && query !== null ? { ...query } : {};
  }

  override get body(): unknown {
    return this.#request.body;
  }

  /** A proxy that is not trusted adds no address. */
  #isFromTrustedProxy(): boolean {
    return (this.#request.ips?.length ?? 0) > 1;
  }
}

/**
 * A pattern with the parameters that Fastify has read. Fastify also reads an empty text for one, in whose place the name
 * stays, because no key matches without it.
 */
function filled(pattern: string, params: unknown): string {
  const values = new Map<string, unknown>(Object.entries(Object(params)));
  const valueOf = (name: string): string => {
    const value = values.get(name);
    return typeof value === 'string' ? value : '';
  };
  return pattern.replaceAll(PARAMETER, (text, name: string | undefined) => {
    if (text === '*') return valueOf('*');
    return name === undefined ? ':' : encodeURIComponent(valueOf(name) || name);
  });
}

/** The hooks of a part of an app and of the parts around it. Fastify keeps them under a symbol of its own. */
interface Hooks {
  readonly onRequest?: readonly unknown[];
}

/**
 * The prefix of the part of an app that a hook was added to. A part inherits the hooks of the part around it, so the
 * hook was added to the outermost part that has it. A route's own hook belongs to the route's part.
 */
export function mountOf(part: FastifyInstance, hook: unknown): string {
  const around: unknown = Object.getPrototypeOf(part);
  return isPart(around) && hooksOf(around)?.onRequest?.includes(hook) ? mountOf(around, hook) : part.prefix;
}

function isPart(value: unknown): value is FastifyInstance {
  return typeof value === 'object' && value !== null && 'prefix' in value;
}

function hooksOf(part: FastifyInstance): Hooks | undefined {
  const symbol = Object.getOwnPropertySymbols(part).find(({ description }) => description === 'fastify.hooks');
  return symbol && Reflect.get(part, symbol);
}
