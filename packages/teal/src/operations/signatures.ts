import { verify } from '@avm402/algorand/ed25519';
import { sha512_256 } from '@avm402/algorand/hash';
import { type Machine, truth } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const textEncoder = new TextEncoder();
const PROGRAM_DATA = textEncoder.encode('ProgData');
const PROGRAM = textEncoder.encode('Program');

export function verifyEd25519(machine: Machine): void {
  const programHash = sha512_256(joined(PROGRAM, machine.program.bytes));
  verifyMessage(machine, joined(PROGRAM_DATA, programHash, machine.bytes(2)));
}

export function verifyBareEd25519(machine: Machine): void {
  verifyMessage(machine, machine.bytes(2));
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
