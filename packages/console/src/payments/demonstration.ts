import { parseAccount } from '@avm402/algorand/account';
import { isAlgorandError } from '@avm402/algorand/errors';
import { createPayer } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { developmentAccounts } from '@avm402/devnode';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Roles } from '../roles.ts';

export interface DemonstrationOptions {
  readonly roles: Pick<Roles, 'algod' | 'resource'>;
  /** Its spans go to the console itself, the same way as everybody's. */
  readonly collectorUrl: string;
  readonly fetch: typeof fetch;
}

/** The result of a payment that the button made. */
export interface Demonstrated {
  readonly traceId: string;
  /** HTTP status of the answer; absent: there was none. */
  readonly status?: number;
  /** Why there was no answer: a code of the catalogue. */
  readonly code?: string;
}

const TRACE_ID = /^00-([0-9a-f]{32})-/;

/** Pays for the resource when somebody presses the button, from the public development account `payer`. */
export class Demonstration {
  readonly #options: DemonstrationOptions;
  readonly #provider: TracerProvider;

  constructor(options: DemonstrationOptions) {
    this.#options = options;
    const exporter = new OTLPTraceExporter({ url: `${options.collectorUrl}/v1/traces` });
    this.#provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  }

  /** Pays once. A failed payment is shown like any other: that is what the console is for. */
  async pay(): Promise<Demonstrated> {
    const { algod, resource } = this.#options.roles;
    let traceId = '';
    const payer = createPayer({
      account: parseAccount(developmentAccounts().payer.privateKey),
      networks: { 'algorand:*': algod },
      tracer: this.#provider.getTracer('console'),
      traceDetails: true,
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        traceId = TRACE_ID.exec(headers.get('traceparent') ?? '')?.[1] ?? traceId;
        return this.#options.fetch(input, init);
      },
    });
    try {
      const { status, body } = await payer.fetch(resource.url);
      await body?.cancel();
      return { traceId, status };
    } catch (error) {
      return { traceId, code: isX402Error(error) || isAlgorandError(error) ? error.code : 'internal' };
    } finally {
      await this.#provider.forceFlush();
    }
  }

  stop(): Promise<void> {
    return this.#provider.shutdown();
  }
}
