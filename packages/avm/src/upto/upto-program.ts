import { parseAddress } from '@avm402/algorand/address';
import { fillTemplate, uint64Bytes } from '../signing/program-template.ts';
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

/** The logic signature that the payer's key signs; `upto.teal` has its rules. */
export function uptoProgram(authorization: UptoAuthorization): Uint8Array {
  const { receiver, feePayer, genesisHash, token, maxAmount, lastValid, lease } = authorization;
  const constants = [
    parseAddress(receiver),
    parseAddress(feePayer),
    genesisHash,
    uint64Bytes(token),
    uint64Bytes(maxAmount),
    uint64Bytes(lastValid),
    lease,
  ];
  return fillTemplate(constants, UPTO_CODE);
}
