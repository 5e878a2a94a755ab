export { type CheckedUpto, checkUpto, checkUptoCharge, type UptoSettlement, uptoSettlement } from './upto-charge.ts';
export { isUptoGroup } from '../../signing/upto-lease.ts';
export { type UptoRequest, verifyUpto } from './upto-request.ts';
export { UptoAvmFacilitator, type UptoAvmFacilitatorOptions } from './upto-avm-facilitator.ts';
