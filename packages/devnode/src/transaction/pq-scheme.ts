import type { PqSignature } from '../codec/schema/signed-transaction.ts';

/** Falcon-1024, the only known scheme. */
const FALCON_1024 = 'f1';

export function isKnownPqScheme({ scheme }: PqSignature): boolean {
  return Buffer.from(scheme).toString('latin1') === FALCON_1024;
}
