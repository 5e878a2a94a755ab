import type { AlgodClient } from '@avm402/algorand/algod';
import type { SettlementLimitOptions } from './settlement/settlement-limits.ts';
import type { ChannelOptions } from './schemes/channel-options.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './observe/metrics.ts';
import type { SettlementStore } from './settlement/settlement-store.ts';
import type { Tracer } from '@opentelemetry/api';
import type { SponsorshipOptions } from './sponsor/sponsorship.ts';

export interface NetworkOptions {
  /** The network's algods, in order of preference. */
  readonly algods: readonly AlgodClient[];
  /** CAIP-2 id that the algods must serve. Default: that of the first one that answers. */
  readonly network?: string;
}

export const FACILITATOR_DEFAULTS = { settleTimeoutMs: 20_000, leaseMs: 5_000, retentionDays: 90 } as const;

export interface FacilitatorOptions {
  /** One entry for each network. */
  readonly networks: readonly NetworkOptions[];
  /** Default: nobody is sponsored; payments carry their own fee. */
  readonly sponsorship?: SponsorshipOptions;
  /** The channels for which the sponsor lends ALGO. Default: all sponsored ones on development networks, else none. */
  readonly channels?: ChannelOptions;
  /** Default: in memory, lost with the process. */
  readonly store?: SettlementStore;
  /** How long settle waits for the outcome. Default 20,000. */
  readonly settleTimeoutMs?: number;
  /** How long other replicas leave a settlement alone after its owner last renewed its lease. Default 5,000. */
  readonly leaseMs?: number;
  /** Days for which a final settlement can be looked up, counted from the last work on it. Default 90. */
  readonly retentionDays?: number;
  /** Whether payments signed by a program (logic signature) are taken in `exact`. Default true. */
  readonly logicSignatures?: boolean | undefined;
  /** How many settlements may begin in a minute. Default: no limit. */
  readonly limits?: SettlementLimitOptions;
  readonly log?: Log;
  /** Counts and measures; pass the same object to `createFacilitatorApp`. Default: nothing is counted. */
  readonly metrics?: Metrics;
  /** Records spans of verify and settle (OpenTelemetry): docs/telemetry.md. Default: nothing is recorded. */
  readonly tracer?: Tracer;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}
