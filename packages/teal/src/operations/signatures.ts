import { verify } from '@avm402/algorand/ed25519';
import { type EcdsaCurve, recoverKey, secp256k1Ecdsa, secp256r1Ecdsa, verifyEcdsa } from '../crypto/ecdsa.ts';
import { verifyFalcon } from '../crypto/falcon.ts';
import { verifyVrf } from '../crypto/vrf.ts';
import { ECDSA_CURVES, VRF_STANDARDS } from '../fields/crypto-fields.ts';
import { fieldName } from '../machine/field-group.ts';
import type { Operands } from '../machine/operands.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { programAddress } from '../program-address.ts';

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const VRF_OUTPUT_LENGTH = 64;
/** Curves by number. */
const CURVES = [secp256k1Ecdsa, secp256r1Ecdsa];
const PROGRAM_DATA = new TextEncoder().encode('ProgData');

export function verifyEd25519(machine: Machine): void {
  verifyMessage(machine, joined(PROGRAM_DATA, programAddress(machine.program.bytes), machine.bytes(2)));
}

export function verifyBareEd25519(machine: Machine): void {
  verifyMessage(machine, machine.bytes(2));
}

export function verifyFalconSignature(machine: Machine): void {
  machine.replace(3, truth(verifyFalcon(machine.bytes(2), machine.bytes(1), machine.bytes(0))));
}

export function verifyRandomness(machine: Machine, { first }: Operands): void {
  const randomness = verifyVrf(machine.bytes(2), machine.bytes(1), machine.bytes(0));
  const standard = VRF_STANDARDS.fieldOf(first);
  if (standard === undefined) throw new OpcodeFailure(`invalid VRF standard ${fieldName(VRF_STANDARDS, first)}`);
  machine.replace(3, randomness ?? new Uint8Array(VRF_OUTPUT_LENGTH));
  machine.push(truth(randomness !== undefined));
}

export function verifyEcdsaSignature(machine: Machine, { first }: Operands): void {
  const key = [machine.bytes(1), machine.bytes(0)] as const;
  const signature = [machine.bytes(3), machine.bytes(2)] as const;
  machine.replace(5, truth(verifyEcdsa(ecdsaCurve(machine, first), machine.bytes(4), signature, key)));
}

export function decompressEcdsaKey(machine: Machine, { first }: Operands): void {
  const [x, y] = ecdsaCurve(machine, first).decompress(machine.bytes(0));
  machine.replace(1, x);
  machine.push(y);
}

export function recoverEcdsaKey(machine: Machine, { first }: Operands): void {
  if (ecdsaCurve(machine, first) !== secp256k1Ecdsa) throw new OpcodeFailure(`unsupported curve ${first}`);
  const [x, y] = recoverKey(machine.bytes(3), machine.integer(2), machine.bytes(1), machine.bytes(0));
  machine.replace(4, x);
  machine.push(y);
}

/** Secp256r1 was added later than the opcodes. */
function ecdsaCurve(machine: Machine, code: number): EcdsaCurve {
  const curve = CURVES[code];
  const since = ECDSA_CURVES.fieldOf(code)?.since ?? 0;
  if (curve === undefined || machine.program.version < since) throw new OpcodeFailure(`invalid curve ${code}`);
  return curve;
}

function verifyMessage(machine: Machine, message: Uint8Array): void {
  const key = machine.bytes(0);
  const signature = machine.bytes(1);
  if (key.length !== KEY_LENGTH) throw new OpcodeFailure('invalid public key');
  if (signature.length !== SIGNATURE_LENGTH) throw new OpcodeFailure('invalid signature');
  machine.replace(3, truth(verify(key, message, signature)));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}
