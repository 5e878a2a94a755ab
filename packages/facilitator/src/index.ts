export type { AdmissionOptions } from './http/admission.ts';
export { type Caller, Callers } from './callers/callers.ts';
export type { OpenSettlementCounts } from './settlement/open-settlements.ts';
export type { SettlementLimitOptions } from './settlement/settlement-limits.ts';
export { createFacilitatorApp, type FacilitatorAppOptions } from './http/app.ts';
export type { ChannelOptions } from './schemes/channel-options.ts';
export type { ChannelMove, ChannelOpening } from './settlement/channel-move.ts';
export { type FacilitatorConfig, parseConfig, type StoreConfig } from './operate/config.ts';
export { Discovery, type DiscoveryOptions, type ListedSellers } from './discovery/discovery.ts';
export type { Catalogue, CatalogueEntry, CatalogueQuery } from './discovery/catalogue.ts';
export type { Facilitator } from './facilitator.ts';
export type { FacilitatorOptions, NetworkOptions } from './facilitator-options.ts';
export type { LookUpOptions, SettleOptions } from './settlement/settle-options.ts';
export { createFacilitator } from './local-facilitator.ts';
export { createKeepAliveExchange } from './chain/keep-alive-exchange.ts';
export { Metrics } from './observe/metrics.ts';
export type { DayTotal, Ledger, LedgerFilter, LedgerPlace, LedgerQuery } from './settlement/ledger.ts';
export { createLog, type Log } from './log/log.ts';
export type { NetworkReadiness, Readiness, ReadinessProblem, ReadinessProblemCode } from './observe/readiness.ts';
export type { SettlementStatus } from './settlement/answer.ts';
export type { NewSettlement, Settlement, SettlementState, Transition } from './settlement/settlement.ts';
export type {
  Budget,
  BudgetScope,
  ChannelLimits,
  RecordOptions,
  RecordOutcome,
  SettlementStore,
  TakeOverOptions,
} from './settlement/settlement-store.ts';
export type { SponsorshipOptions } from './sponsor/sponsorship.ts';
export { type RunningFacilitator, startFacilitator } from './operate/start-facilitator.ts';
export { createMemorySettlementStore } from './stores/memory.ts';
export { createPostgresSettlementStore, type PostgresSettlementStoreOptions } from './stores/postgres.ts';
export { backupSqliteStore } from './stores/sqlite-backup.ts';
export { openSqliteLedger, type SqliteLedger } from './stores/sqlite-ledger.ts';
export { createSqliteSettlementStore, type SqliteSettlementStoreOptions } from './stores/sqlite.ts';
