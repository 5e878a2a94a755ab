export { ExactAvmFacilitator, type ExactAvmFacilitatorOptions } from './exact-avm-facilitator.ts';
export {
  type CheckedPayment,
  PaymentVerifier,
  type PaymentVerifierOptions,
  type VerifiedPayment,
} from './payment-verifier.ts';
/** Their entry is `@avm402/avm/sponsorship`; here they stay for one version. */
export * from '../../sponsorship/index.ts';
