import { shake256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { OpcodeFailure } from '../machine/program-error.ts';
import { FALCON_DEGREE, FALCON_Q, multiplyModulo } from './falcon-ring.ts';

/** The length of a Falcon-1024 public key. */
export const FALCON_KEY_LENGTH = 1793;

/** Headers: the degree 2^10, and for signatures "deterministic, compressed". */
const KEY_HEADER = 0x0a;
const SIGNATURE_HEADER = 0xba;
const HEADER_LENGTH = 2;

/** Deterministic Falcon has no random salt: its 40 bytes are a version, the degree's logarithm, a name and zeros. */
const SALT_LENGTH = 40;
const SALT_NAME = new TextEncoder().encode('FALCON_DET');
const LOG_DEGREE = 10;

const KEY_BITS = 14;
const LOW_BITS = 7;
const MAX_COEFFICIENT = 2047;
/** The largest squared norm of a signature (Falcon specification, table 3.3). */
const MAX_SQUARED_NORM = 70_265_242;
/** 16-bit samples from this value on would make the coefficients of a hash non-uniform. */
const SAMPLE_END = 5 * FALCON_Q;

/** The answers of the reference implementation: the format is wrong, or the signature is not valid. */
export const FALCON_FORMAT = -3;
export const FALCON_BAD_SIGNATURE = -4;

export type FalconFault = typeof FALCON_FORMAT | typeof FALCON_BAD_SIGNATURE;

/**
 * Whether a compressed signature of deterministic Falcon-1024 is valid.
 * @throws for a key of another length
 */
export function verifyFalcon(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  if (key.length !== FALCON_KEY_LENGTH) {
    throw new OpcodeFailure(`invalid public key size ${key.length} != ${FALCON_KEY_LENGTH}`);
  }
  return falconFault(message, signature, key) === undefined;
}

/** The fault in a compressed signature of deterministic Falcon-1024 (Falcon specification §3.10), if any. */
export function falconFault(message: Uint8Array, signature: Uint8Array, key: Uint8Array): FalconFault | undefined {
  if (signature[0] !== SIGNATURE_HEADER || signature.length < HEADER_LENGTH) return FALCON_BAD_SIGNATURE;
  const h = decodeKey(key);
  const s2 = decodeSignature(signature);
  if (h === undefined || s2 === undefined) return FALCON_FORMAT;
  const target = hashToPoint(signature[1] ?? 0, message);
  const product = multiplyModulo(s2, h);
  let norm = 0;
  for (let i = 0; i < FALCON_DEGREE; i += 1) {
    const s1 = centered(((target[i] ?? 0) - (product[i] ?? 0) + FALCON_Q) % FALCON_Q);
    norm += s1 ** 2 + (s2[i] ?? 0) ** 2;
  }
  return norm <= MAX_SQUARED_NORM ? undefined : FALCON_BAD_SIGNATURE;
}

/** The key's polynomial, with 14 bits per coefficient. */
function decodeKey(key: Uint8Array): Int32Array | undefined {
  if (key[0] !== KEY_HEADER || key.length !== FALCON_KEY_LENGTH) return undefined;
  const bits = new BitReader(key.subarray(1));
  const coefficients = new Int32Array(FALCON_DEGREE);
  for (let i = 0; i < FALCON_DEGREE; i += 1) {
    const coefficient = bits.read(KEY_BITS);
    if (coefficient >= FALCON_Q) return undefined;
    coefficients[i] = coefficient;
  }
  return coefficients;
}

/**
 * The signature's polynomial: each coefficient is a sign, seven low bits and the rest in unary, without a spare bit.
 */
function decodeSignature(signature: Uint8Array): Int32Array | undefined {
  const bits = new BitReader(signature.subarray(HEADER_LENGTH));
  const coefficients = new Int32Array(FALCON_DEGREE);
  for (let i = 0; i < FALCON_DEGREE; i += 1) {
    const coefficient = readCoefficient(bits);
    if (coefficient === undefined) return undefined;
    coefficients[i] = coefficient;
  }
  return bits.isAtEnd() ? coefficients : undefined;
}

function readCoefficient(bits: BitReader): number | undefined {
  const negative = bits.read(1) === 1;
  let magnitude = bits.read(LOW_BITS);
  while (bits.read(1) === 0) {
    magnitude += 1 << LOW_BITS;
    if (magnitude > MAX_COEFFICIENT) return undefined;
  }
  if (!negative) return magnitude;
  return magnitude === 0 ? undefined : -magnitude;
}

function hashToPoint(saltVersion: number, message: Uint8Array): Int32Array {
  const salt = new Uint8Array(SALT_LENGTH);
  salt.set([saltVersion, LOG_DEGREE, ...SALT_NAME]);
  const samples = shake256.create({}).update(concatBytes(salt, message));
  const coefficients = new Int32Array(FALCON_DEGREE);
  let found = 0;
  while (found < FALCON_DEGREE) {
    const [high = 0, low = 0] = samples.xof(2);
    const sample = (high << 8) | low;
    if (sample >= SAMPLE_END) continue;
    coefficients[found] = sample % FALCON_Q;
    found += 1;
  }
  return coefficients;
}

function centered(coefficient: number): number {
  return coefficient > FALCON_Q / 2 ? coefficient - FALCON_Q : coefficient;
}

/** Reads bits, most significant first in each byte. After the end it reads ones, so that every unary number ends. */
class BitReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i += 1) {
      const byte = this.#bytes[this.#place >> 3] ?? 0xff;
      value = (value << 1) | ((byte >> (7 - (this.#place & 7))) & 1);
      this.#place += 1;
    }
    return value;
  }

  /** Whether all bytes were read and the rest of the last byte is zeros. */
  isAtEnd(): boolean {
    if (this.#bytes.length !== Math.ceil(this.#place / 8)) return false;
    return this.read(-this.#place & 7) === 0;
  }
}
