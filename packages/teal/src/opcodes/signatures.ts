import { verify } from '@avm402/algorand/ed25519';
import { type EcdsaCurve, recoverKey, secp256k1Ecdsa, secp256r1Ecdsa, verifyEcdsa } from '../crypto/ecdsa.ts';
import { verifyFalcon } from '../crypto/falcon.ts';
import { verifyVrf } from '../crypto/vrf.ts';
import { fieldGroup, fieldName } from '../machine/field-group.ts';
import { type Machine, truth } from '../machine/machine.ts';
import { EVERY_MODE, oneOf, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { programAddress } from '@avm402/algorand/program';
import { concatBytes } from '@noble/hashes/utils.js';

/** Curves of ECDSA. */
const ECDSA_CURVES = fieldGroup('ECDSA', 'EcdsaCurve', [
  { code: 0, name: 'Secp256k1' },
  { code: 1, name: 'Secp256r1', since: 7 },
]);

/** Verifiable random functions. */
const VRF_STANDARDS = fieldGroup('vrf_verify', 'VrfStandard', [{ code: 0, name: 'VrfAlgorand' }]);

/** Signatures and verifiable randomness. */
export const SIGNATURE_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x04,
    name: 'ed25519verify',
    stack: 'b{64}{32}:T',
    cost: 1900,
    since: 1,
    later: { since: 5, modes: EVERY_MODE },
    modes: ['signature'],
    run: verifyEd25519,
  },
  {
    byte: 0x05,
    name: 'ecdsa_verify',
    immediates: [oneOf('v', ECDSA_CURVES)],
    stack: '{32}{32}{32}{32}{32}:T',
    cost: { byField: [1700, 2500] },
    since: 5,
    run: verifyEcdsaSignature,
  },
  {
    byte: 0x06,
    name: 'ecdsa_pk_decompress',
    immediates: [oneOf('v', ECDSA_CURVES)],
    stack: '{33}:{32}{32}',
    cost: { byField: [650, 2400] },
    since: 5,
    run: decompressEcdsaKey,
  },
  {
    byte: 0x07,
    name: 'ecdsa_pk_recover',
    immediates: [oneOf('v', ECDSA_CURVES)],
    stack: '{32}i{32}{32}:{32}{32}',
    cost: 2000,
    since: 5,
    run: recoverEcdsaKey,
  },
  { byte: 0x84, name: 'ed25519verify_bare', stack: 'b{64}{32}:T', cost: 1900, since: 7, run: verifyBareEd25519 },
  { byte: 0x85, name: 'falcon_verify', stack: 'bb{1793}:T', cost: 1700, since: 12, run: verifyFalconSignature },
  {
    byte: 0xd0,
    name: 'vrf_verify',
    immediates: [oneOf('s', VRF_STANDARDS)],
    stack: 'b{80}{32}:{64}T',
    cost: 5700,
    since: 7,
    run: verifyRandomness,
  },
];

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const VRF_OUTPUT_LENGTH = 64;
/** Curves by number. */
const CURVES = [secp256k1Ecdsa, secp256r1Ecdsa];
const PROGRAM_DATA = new TextEncoder().encode('ProgData');

function verifyEd25519(machine: Machine): void {
  verifyMessage(machine, concatBytes(PROGRAM_DATA, programAddress(machine.program.bytes), machine.bytes(2)));
}

function verifyBareEd25519(machine: Machine): void {
  verifyMessage(machine, machine.bytes(2));
}

function verifyFalconSignature(machine: Machine): void {
  machine.replace(3, truth(verifyFalcon(machine.bytes(2), machine.bytes(1), machine.bytes(0))));
}

function verifyRandomness(machine: Machine, { first }: Operands): void {
  const randomness = verifyVrf(machine.bytes(2), machine.bytes(1), machine.bytes(0));
  const standard = VRF_STANDARDS.fieldOf(first);
  if (standard === undefined) throw new OpcodeFailure(`invalid VRF standard ${fieldName(VRF_STANDARDS, first)}`);
  machine.replace(3, randomness ?? new Uint8Array(VRF_OUTPUT_LENGTH));
  machine.push(truth(randomness !== undefined));
}

function verifyEcdsaSignature(machine: Machine, { first }: Operands): void {
  const key = [machine.bytes(1), machine.bytes(0)] as const;
  const signature = [machine.bytes(3), machine.bytes(2)] as const;
  machine.replace(5, truth(verifyEcdsa(ecdsaCurve(machine, first), machine.bytes(4), signature, key)));
}

function decompressEcdsaKey(machine: Machine, { first }: Operands): void {
  const [x, y] = ecdsaCurve(machine, first).decompress(machine.bytes(0));
  machine.replace(1, x);
  machine.push(y);
}

function recoverEcdsaKey(machine: Machine, { first }: Operands): void {
  if (ecdsaCurve(machine, first) !== secp256k1Ecdsa) throw new OpcodeFailure(`unsupported curve ${first}`);
  const [x, y] = recoverKey(machine.bytes(3), machine.integer(2), machine.bytes(1), machine.bytes(0));
  machine.replace(4, x);
  machine.push(y);
}

/** Secp256r1 was added later than the opcodes. */
function ecdsaCurve(machine: Machine, code: number): EcdsaCurve {
  const curve = CURVES[code];
  if (curve !== undefined && ECDSA_CURVES.fieldOf(code, machine.program.version) !== undefined) return curve;
  throw new OpcodeFailure(`invalid curve ${code}`);
}

function verifyMessage(machine: Machine, message: Uint8Array): void {
  const key = machine.bytes(0);
  const signature = machine.bytes(1);
  if (key.length !== KEY_LENGTH) throw new OpcodeFailure('invalid public key');
  if (signature.length !== SIGNATURE_LENGTH) throw new OpcodeFailure('invalid signature');
  machine.replace(3, truth(verify(key, message, signature)));
}
