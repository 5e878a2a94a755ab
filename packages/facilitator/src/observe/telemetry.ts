import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Log } from '../log/log.ts';
import { TroubleLog } from '../log/trouble-log.ts';

/** Spans that are sent to a collector. */
export interface Telemetry {
  readonly tracer: Tracer;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

/** How long spans wait to be sent together; short, because somebody may be watching. */
const DELAY_MS = 1_000;

/**
 * Sends spans to the collector that the environment names, in OpenTelemetry's own variables
 * (`OTEL_EXPORTER_OTLP_ENDPOINT` and its relatives, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`). A collector that
 * does not answer delays nothing.
 */
export function startTelemetry(log: Log): Telemetry {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'avm402-facilitator' }))
    .merge(detectResources({ detectors: [envDetector] }));
  const exporter = reporting(new OTLPTraceExporter(), log);
  const provider = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: DELAY_MS })],
  });
  return {
    tracer: provider.getTracer('@avm402/facilitator'),
    // Spans that can't be sent any more must not keep the program from ending well.
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** The exporter, with a line in the log when the collector fails, and one when it takes spans again. */
function reporting(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  const troubles = new TroubleLog(log);
  const trouble = 'the collector does not take spans';
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error === undefined) troubles.isOver(trouble, 'the collector takes spans again', {});
        else troubles.happened(trouble, { reason: result.error.message });
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
