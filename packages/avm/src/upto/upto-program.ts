import { parseAddress } from '@avm402/algorand/address';
import { fillTemplate, programCode, uint64Bytes } from '../signing/program-template.ts';

/** What `upto.teal` assembles to, behind its constants. */
const CODE = programCode(
  'MQEURDIRKhJEMRErFxJEMRQoEkQxEicEFw5EMRMyAxJEMRUyAxJEMSAyAxJEMQYnBhJEMQQnBRcSRDMAACkSRDMABicGEkSBAUM=',
);

/** What the payer authorizes: one transfer of at most so much, until a round. */
export interface UptoAuthorization {
  readonly receiver: string;
  /** Who leads the group, pays its fee, and so settles. */
  readonly feePayer: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** Asset id. */
  readonly token: bigint;
  /** Atomic units. */
  readonly maxAmount: bigint;
  /** The transfer's last valid round, exactly. */
  readonly lastValid: bigint;
  /** 32 bytes of `uptoLease`; until `lastValid` no second transfer with them is confirmed. */
  readonly lease: Uint8Array;
}

/** The logic signature that the payer's key signs; its rules stand in `upto.teal`. */
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
  return fillTemplate(constants, CODE);
}
