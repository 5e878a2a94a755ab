import type { AlgodClient } from '@avm402/algorand/algod';
import type { SettlementLimitOptions } from './settlement/settlement-limits.ts';
import type { ChannelOptions } from './schemes/channel-options.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './observe/metrics.ts';
import type { SettlementStore } from './settlement/settlement-store.ts';
import type { Tracer } from '@opentelemetry/api';
import type { SponsorshipOptions } from './sponsor/sponsorship.ts';

export interface NetworkOptions {
  /** algods of one network, in order of preference. */
  readonly algods: readonly AlgodClient[];
  /** CAIP-2 id that they must be of; absent: the first one that answers decides. */
  readonly network?: string;
}

export const FACILITATOR_DEFAULTS = { settleTimeoutMs: 20_000, leaseMs: 5_000, retentionDays: 90 } as const;

export interface FacilitatorOptions {
  /** One entry for each network. */
  readonly networks: readonly NetworkOptions[];
  /** Absent: payments carry their own fee. */
  readonly sponsorship?: SponsorshipOptions;
  /** For which channels the sponsor lends the ALGO. Default: on development networks for all that are sponsored, else for none. */
  readonly channels?: ChannelOptions;
  /** Default: in memory, lost with the process. */
  readonly store?: SettlementStore;
  /** How long settle waits for the outcome. Default 20,000. */
  readonly settleTimeoutMs?: number;
  /** How long other replicas leave a settlement alone after its own last spoke for it. Default 5,000. */
  readonly leaseMs?: number;
  /** Days that final settlements can be looked up, from the last work on them. Default 90. */
  readonly retentionDays?: number;
  /** How many settlements may begin in a minute. Default: any number. */
  readonly limits?: SettlementLimitOptions;
  readonly log?: Log;
  /** What is counted and measured; the same goes to `createFacilitatorApp`. Default: nothing is. */
  readonly metrics?: Metrics;
  /** Records spans of verify and settle (OpenTelemetry): docs/telemetry.md. Default: nothing is recorded. */
  readonly tracer?: Tracer;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface SettleOptions {
  /** 16–255 printable ASCII characters, the same for every repetition of one settle call. */
  readonly idempotencyKey?: string;
}
