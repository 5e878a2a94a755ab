export { checkAuthorizationSignature, checkAuthorizationTerms } from './checks/authorization.ts';
export { encodeUptoPayload, parseUptoPayload } from './payload.ts';
export { signByAuthorization, uptoGroup } from './upto-group.ts';
export { type UptoAuthorization, uptoProgram } from './upto-program.ts';
