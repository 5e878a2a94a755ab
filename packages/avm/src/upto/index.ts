export {
  checkAuthorizationSignature,
  checkAuthorizationTerms,
  checkAuthorizationWindow,
} from './check-authorization.ts';
export { encodeUptoPayload, parseUptoPayload, type UptoPayment } from './payload.ts';
export { signByAuthorization, type UptoCharge, uptoGroup } from './upto-group.ts';
export { type UptoAuthorization, uptoProgram } from './upto-program.ts';
