import { X402Error } from '@avm402/core/errors';
import { ProgramTemplate } from '../signing/program-template.ts';
import { UPTO_CODE } from '../signing/scheme-programs.ts';

/** The payer's authorization: one transfer of at most `maxAmount`, in a window that ends at `lastValid`. */
export interface UptoAuthorization {
  readonly receiver: string;
  /** The account that leads the group, pays its fee, and so settles. */
  readonly feePayer: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** Asset id. */
  readonly token: bigint;
  /** Atomic units. */
  readonly maxAmount: bigint;
  /** The exact last valid round of the transfer. */
  readonly lastValid: bigint;
  /** 32 bytes from `uptoLease`. Until `lastValid`, no second transfer with this lease is confirmed. */
  readonly lease: Uint8Array;
}

/** The constants of `upto.teal`, which has its rules. */
export const uptoTemplate = new ProgramTemplate<UptoAuthorization>(
  {
    receiver: 'address',
    feePayer: 'address',
    genesisHash: 32,
    token: 'uint64',
    maxAmount: 'uint64',
    lastValid: 'uint64',
    lease: 32,
  },
  UPTO_CODE,
  invalidUpto,
);

/** The error for a payment that is not one of this scheme. */
export function invalidUpto(what: string): X402Error {
  return new X402Error('invalid_upto_avm_payload', { message: `the payment by upto: ${what}` });
}

/** The logic signature that the payer's key signs. */
export function uptoProgram(authorization: UptoAuthorization): Uint8Array {
  return uptoTemplate.program(authorization);
}
