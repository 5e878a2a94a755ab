export {
  postgresRedemptionStore,
  type PostgresRedemptionStore,
  type PostgresRedemptionStoreOptions,
} from './redemption/postgres-redemption-store.ts';
