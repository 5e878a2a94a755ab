export {
  type CheckedUpto,
  checkUpto,
  checkUptoCharge,
  simulateUpto,
  type UptoSettlement,
  uptoSettlement,
} from './upto-verifier.ts';
export { UptoAvmFacilitator, type UptoAvmFacilitatorOptions } from './upto-avm-facilitator.ts';
