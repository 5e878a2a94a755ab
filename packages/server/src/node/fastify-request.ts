import type { FastifyRequest as Request } from 'fastify';
import { belowMount } from '../routes/below-mount.ts';
import { pathOfTarget } from '../routes/path-readings.ts';
import { NodeRequest } from './node-request.ts';

/** A request to a Fastify app. Its proxies are those of the option `trustProxy`. */
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

  /** Its router may take a semicolon for the start of the query (`useSemicolonDelimiter`). */
  override get mountedPath(): string {
    return belowMount(pathOfTarget(this.url).split(';', 1)[0] ?? '', this.#mount);
  }

  override get host(): string {
    return this.#request.host;
  }

  override get origin(): string {
    return this.toldOrigin(this.#request.protocol, this.#isFromTrustedProxy());
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
