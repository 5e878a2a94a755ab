export {
  sqliteChannelStore,
  type SqliteChannelStore,
  type SqliteChannelStoreOptions,
} from './channels/sqlite-channel-store.ts';
export {
  sqliteRedemptionStore,
  type SqliteRedemptionStore,
  type SqliteRedemptionStoreOptions,
} from './redemption/sqlite-redemption-store.ts';
