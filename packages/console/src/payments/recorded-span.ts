/** What a span or an event says (docs/telemetry.md); integers as numbers. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

export interface RecordedEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly facts: Facts;
}

/** A part of what a role did for a payment, as it told the collector. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  /** Milliseconds since 1970, to the microsecond where the role's clock has them. */
  readonly from: number;
  readonly to: number;
  readonly facts: Facts;
  readonly events: readonly RecordedEvent[];
  readonly hasFailed: boolean;
}
