export {
  type CheckedUpto,
  checkUpto,
  checkUptoCharge,
  simulateUpto,
  type UptoSettlement,
  uptoSettlement,
} from './upto-verifier.ts';
export { signUpto, type UptoRequest, type VerifiedUpto, verifyUpto } from './upto-request.ts';
export { UptoAvmFacilitator, type UptoAvmFacilitatorOptions } from './upto-avm-facilitator.ts';
