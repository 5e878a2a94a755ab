export {
  createSqliteChannelStore,
  /** @deprecated use `createSqliteChannelStore` */
  createSqliteChannelStore as sqliteChannelStore,
  type SqliteChannelStore,
  type SqliteChannelStoreOptions,
} from './channels/stores/sqlite-channel-store.ts';
export {
  createSqliteRedemptionStore,
  /** @deprecated use `createSqliteRedemptionStore` */
  createSqliteRedemptionStore as sqliteRedemptionStore,
  type SqliteRedemptionStore,
  type SqliteRedemptionStoreOptions,
} from './redemption/stores/sqlite-redemption-store.ts';
