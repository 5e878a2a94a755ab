export {
  sqliteRedemptionStore,
  type SqliteRedemptionStore,
  type SqliteRedemptionStoreOptions,
} from './redemption/sqlite-redemption-store.ts';
