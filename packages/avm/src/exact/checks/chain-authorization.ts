import { parseAddress } from '@avm402/algorand/address';
import { sameBytes } from '@avm402/algorand/bytes';
import { isCurvePoint } from '@avm402/algorand/curve-point';
import { verify } from '@avm402/algorand/ed25519';
import { decodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import { programAddress, programSigningBytes } from '@avm402/algorand/program';
import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import { signerOf, type SignedTransfer } from '../../signing/authorization.ts';
import { belongsToScheme } from '../../signing/scheme-programs.ts';

/** The most bytes of a program and its arguments: what algod takes in a group of two. */
const MAX_PROGRAM_BYTES = 2_000;
const MAX_ARGUMENTS = 16;
/** The most keys of a multisig that delegates to a program. */
const MAX_KEYS = 16;

/** The signatures by which an account lets a program act for it: of a key, of a multisig (old and new), of Falcon. */
const DELEGATIONS = ['sig', 'msig', 'lmsig', 'pqsig'] as const;
const FIELDS: ReadonlySet<MsgpackValue> = new Set(['l', 'arg', ...DELEGATIONS]);

type Fields = ReadonlyMap<MsgpackValue, MsgpackValue>;

/** Whether the transfer carries what only the chain can judge: a program, or a Falcon signature. */
export function carriesProgramOrFalcon({ transfer: { signed } }: SignedTransfer): boolean {
  return signed.logicSignature !== undefined || signed.pqSignature !== undefined;
}

/**
 * Whether only the chain can tell that the payer agreed: a program or a Falcon key signed, or the payer is said to be
 * rekeyed. Anybody can make a copy of such a payment that fails on the chain and has the genuine TxID.
 */
export function isJudgedByChain(payment: SignedTransfer): boolean {
  return payment.transfer.signed.authAddress !== undefined || carriesProgramOrFalcon(payment);
}

/**
 * Checks the bounds of a program or of a Falcon signature, and that it is the payment's only authorization. An empty
 * one would pass a simulation that allows missing signatures.
 * @throws X402Error `invalid_exact_avm_invalid_signature`, `_logic_signature`, `_signer_mismatch`
 */
export function checkProgramOrFalcon(payment: SignedTransfer): void {
  const { signature, multisig, logicSignature, pqSignature } = payment.transfer.signed;
  const given = [signature, multisig, logicSignature, pqSignature].filter((one) => one !== undefined);
  if (given.length > 1) throw invalid('the payment carries more than one kind of signature; exactly one is allowed');
  if (pqSignature !== undefined) return checkFalcon(pqSignature, signerOf(payment));
  if (logicSignature !== undefined) checkProgram(fieldsOf(logicSignature), payment);
}

function checkFalcon(pqSignature: Uint8Array, signer: string): void {
  const signature = fieldsOf(pqSignature).get('sig');
  if (!(signature instanceof Uint8Array) || signature.length === 0) throw invalid('the Falcon signature is empty');
  // A simulation takes it, and no node would submit it.
  if (isCurvePoint(parseAddress(signer))) throw invalid(`${signer} is a curve point, for which no Falcon key may sign`);
}

function checkProgram(fields: Fields, payment: SignedTransfer): void {
  const unknown = [...fields.keys()].find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw refused('it has an unknown field');
  const program = programOf(fields);
  const size = program.length + argumentBytes(fields.get('arg'));
  if (size > MAX_PROGRAM_BYTES) {
    throw refused(`program and arguments have ${size} bytes, at most ${MAX_PROGRAM_BYTES} are accepted`);
  }
  if (belongsToScheme(program)) throw refused('its program belongs to another scheme');
  checkDelegation(fields, program, signerOf(payment));
}

function programOf(fields: Fields): Uint8Array {
  const program = fields.get('l');
  if (!(program instanceof Uint8Array) || program.length === 0) throw refused('it has no program');
  return program;
}

function argumentBytes(args: MsgpackValue | undefined): number {
  if (args === undefined) return 0;
  if (!Array.isArray(args) || args.length > MAX_ARGUMENTS)
    throw refused(`at most ${MAX_ARGUMENTS} arguments are accepted`);
  return args.reduce((total: number, arg) => {
    if (!(arg instanceof Uint8Array)) throw refused('an argument is not bytes');
    return total + arg.length;
  }, 0);
}

/** A program that nobody has signed controls the account whose address is its hash. */
function checkDelegation(fields: Fields, program: Uint8Array, signer: string): void {
  const given = DELEGATIONS.filter((name) => fields.has(name));
  if (given.length > 1) throw refused('it has more than one signature');
  if (given.length === 0 && !sameBytes(programAddress(program), parseAddress(signer))) {
    throw new X402Error('invalid_exact_avm_signer_mismatch', {
      message: `the program is not the one whose account is ${signer}, and nobody has signed it`,
    });
  }
  for (const name of ['msig', 'lmsig']) {
    const multisig = fields.get(name);
    const subsignatures = multisig instanceof Map ? multisig.get('subsig') : undefined;
    if (Array.isArray(subsignatures) && subsignatures.length > MAX_KEYS) {
      throw refused(`its multisig has ${subsignatures.length} keys, at most ${MAX_KEYS} are accepted`);
    }
  }
}

/**
 * Checks the signature by which a key lets the program act, before a node is asked. The chain judges everything else
 * that authorizes the payment.
 * @throws X402Error `invalid_exact_avm_invalid_signature`
 */
export function checkDelegatingSignature(payment: SignedTransfer): void {
  const { logicSignature } = payment.transfer.signed;
  if (logicSignature === undefined) return;
  const fields = fieldsOf(logicSignature);
  const signature = fields.get('sig');
  if (signature === undefined) return;
  const signer = parseAddress(signerOf(payment));
  if (signature instanceof Uint8Array && verify(signer, programSigningBytes(programOf(fields)), signature)) return;
  throw invalid(`the signature of the program is not that of ${signerOf(payment)}`);
}

function fieldsOf(encoded: Uint8Array): Fields {
  const value = decodeMsgpack(encoded);
  return value instanceof Map ? value : new Map();
}

function refused(what: string): X402Error {
  return error('invalid_exact_avm_logic_signature', `the payment's logic signature: ${what}`);
}

function invalid(message: string): X402Error {
  return error('invalid_exact_avm_invalid_signature', message);
}

function error(code: X402ErrorCode, message: string): X402Error {
  return new X402Error(code, { message });
}
