export {
  createPostgresChannelStore,
  type PostgresChannelStore,
  type PostgresChannelStoreOptions,
} from './channels/stores/postgres-channel-store.ts';
export {
  createPostgresRedemptionStore,
  type PostgresRedemptionStore,
  type PostgresRedemptionStoreOptions,
} from './redemption/stores/postgres-redemption-store.ts';
