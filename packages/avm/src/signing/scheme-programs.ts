import { sameBytes } from '@avm402/algorand/bytes';
import { programCode } from './program-template.ts';

/** The bytes that `channel.teal` assembles to after its constants. */
export const CHANNEL_CODE = programCode(
  'MQEURDIRJwUSRDEQgQQSQAANMQgURDEJJwQSREIAhjERJwYXEkQxEzIDEkQxFCoSQAA/MSAyAxJEMRQxABJAABQxFCgSRDEVKBJEMQInBxcN' +
    'REIAUDEVMgMSRDMDACgSRDMDFDEAEkQzAwYyAxJEQgAzMwAAKxJEMwAGMQASRDEVKBIxIDIDEhAxFTIDEjEgKBIQEUQxEkEACzESLhcORC4t' +
    'KQREgQFD',
);

/** The bytes that `upto.teal` assembles to after its constants. */
export const UPTO_CODE = programCode(
  'MQEURDIRKhJEMRErFxJEMRQoEkQxEicEFw5EMRMyAxJEMRUyAxJEMSAyAxJEMQYnBhJEMQQnBRcSRDMAACkSRDMABicGEkSBAUM=',
);

/** Whether a program is that of a scheme of its own, and so never pays by another. */
export function belongsToScheme(program: Uint8Array): boolean {
  return [CHANNEL_CODE, UPTO_CODE].some((code) => sameBytes(program.slice(-code.length), code));
}
