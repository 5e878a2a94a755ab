/** The attributes of a span or an event (docs/telemetry.md); integers are numbers. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

export interface RecordedEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly facts: Facts;
}

/** A part of a role's work for a payment, as it was reported to the collector. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  /** Milliseconds since 1970, with microseconds if the role's clock has them. */
  readonly from: number;
  readonly to: number;
  readonly facts: Facts;
  readonly events: readonly RecordedEvent[];
  readonly hasFailed: boolean;
}
