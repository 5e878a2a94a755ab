export { BatchSettlementAvmServer, type BatchSettlementAvmServerOptions } from './batch-settlement-avm-server.ts';
export { type ClaimKey, claimKeyOf } from './claim-key.ts';
