export {
  createSqliteChannelStore,
  type SqliteChannelStore,
  type SqliteChannelStoreOptions,
} from './channels/stores/sqlite-channel-store.ts';
export {
  createSqliteRedemptionStore,
  type SqliteRedemptionStore,
  type SqliteRedemptionStoreOptions,
} from './redemption/stores/sqlite-redemption-store.ts';
