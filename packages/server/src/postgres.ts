export {
  postgresChannelStore,
  type PostgresChannelStore,
  type PostgresChannelStoreOptions,
} from './channels/postgres-channel-store.ts';
export {
  postgresRedemptionStore,
  type PostgresRedemptionStore,
  type PostgresRedemptionStoreOptions,
} from './redemption/postgres-redemption-store.ts';
