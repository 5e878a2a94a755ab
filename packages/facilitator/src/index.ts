export type { AdmissionOptions } from './callers/admission.ts';
export { type Caller, Callers } from './callers/callers.ts';
export type { SettlementLimitOptions } from './callers/settlement-limits.ts';
export { createFacilitatorApp, type FacilitatorAppOptions } from './app.ts';
export type { ChannelOptions } from './channel-options.ts';
export type { ChannelMove, ChannelOpening } from './channel-move.ts';
export { type FacilitatorConfig, parseConfig, type StoreConfig } from './config.ts';
export { Discovery, type DiscoveryOptions, type ListedSellers } from './discovery/discovery.ts';
export type { Catalogue, CatalogueEntry, CatalogueQuery } from './discovery/catalogue.ts';
export { createFacilitator, type Facilitator } from './facilitator.ts';
export type { FacilitatorOptions, NetworkOptions, SettleOptions } from './facilitator-options.ts';
export { createKeepAliveExchange } from './keep-alive-exchange.ts';
export { Metrics } from './metrics.ts';
export type { DayTotal, Ledger, LedgerFilter, LedgerPlace, LedgerQuery } from './ledger.ts';
export { createLog, type Log } from './log.ts';
export type {
  NetworkReadiness,
  OpenSettlementCounts,
  Readiness,
  ReadinessProblem,
  ReadinessProblemCode,
} from './readiness.ts';
export type { SettlementStatus } from './settlement-answer.ts';
export type { NewSettlement, Settlement, SettlementState, Transition } from './settlement.ts';
export type {
  Budget,
  BudgetScope,
  ChannelLimits,
  RecordOptions,
  RecordOutcome,
  SettlementStore,
  TakeOverOptions,
} from './settlement-store.ts';
export type { SponsorshipOptions } from './sponsorship.ts';
export { type RunningFacilitator, startFacilitator } from './start-facilitator.ts';
export { memorySettlementStore } from './stores/memory.ts';
export { postgresSettlementStore, type PostgresSettlementStoreOptions } from './stores/postgres.ts';
export { backupSqliteStore } from './stores/sqlite-backup.ts';
export { openSqliteLedger, type SqliteLedger } from './stores/sqlite-ledger.ts';
export { sqliteSettlementStore, type SqliteSettlementStoreOptions } from './stores/sqlite.ts';
