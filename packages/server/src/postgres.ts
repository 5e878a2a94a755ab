export {
  createPostgresChannelStore,
  /** @deprecated use `createPostgresChannelStore` */
  createPostgresChannelStore as postgresChannelStore,
  type PostgresChannelStore,
  type PostgresChannelStoreOptions,
} from './channels/stores/postgres-channel-store.ts';
export {
  createPostgresRedemptionStore,
  /** @deprecated use `createPostgresRedemptionStore` */
  createPostgresRedemptionStore as postgresRedemptionStore,
  type PostgresRedemptionStore,
  type PostgresRedemptionStoreOptions,
} from './redemption/stores/postgres-redemption-store.ts';
