import { formatAddress } from './address.ts';
import { sameBytes } from './bytes.ts';
import { verify, verifyQuickly } from './ed25519.ts';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';

/** The parameters behind a multisig address: any `threshold` of the keys, in this order, may sign together. */
export interface MultisigParameters {
  /** Always 1 at present. */
  readonly version: number;
  readonly threshold: number;
  /** 32 bytes each, at most 255; a key may occur more than once. */
  readonly publicKeys: readonly Uint8Array[];
}

export interface MultisigSubsignature {
  readonly publicKey: Uint8Array;
  /** 64 bytes; absent while this key has not signed. */
  readonly signature?: Uint8Array;
}

export interface MultisigSignature {
  readonly version: number;
  readonly threshold: number;
  readonly subsignatures: readonly MultisigSubsignature[];
}

/** The part of an Account that signs. */
export interface MultisigSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

const VERSION = 1;
const MAX_KEYS = 255;
const ADDRESS_PREFIX = new TextEncoder().encode('MultisigAddr');

/**
 * The address of a multisig account: SHA-512/256 of "MultisigAddr", version, threshold and the keys.
 * @throws AlgorandError `invalid_multisig`
 */
export function multisigAddress(parameters: MultisigParameters): string {
  const problem = problemOf(parameters);
  if (problem !== undefined) throw new AlgorandError('invalid_multisig', problem);
  const { version, threshold, publicKeys } = parameters;
  const head = [...ADDRESS_PREFIX, version, threshold];
  return formatAddress(sha512_256(Uint8Array.from([...head, ...publicKeys.flatMap((key) => [...key])])));
}

/** The parameters in a multisig signature; its address follows from them. */
export function multisigParametersOf(multisig: MultisigSignature): MultisigParameters {
  const { version, threshold, subsignatures } = multisig;
  return { version, threshold, publicKeys: subsignatures.map(({ publicKey }) => publicKey) };
}

/** The number of signatures present in a multisig. */
export function signatureCount({ subsignatures }: MultisigSignature): number {
  return subsignatures.filter(({ signature }) => signature !== undefined).length;
}

export interface MultisigLimits {
  /** The most signatures that may be verified by the slow rule (see `verifyQuickly`). Default: no limit. */
  readonly maxSlow?: number;
}

/**
 * Whether algod accepts the multisig for `message` (for a transaction: `transactionSigningBytes`): it has at least
 * `threshold` signatures, and all of them are valid. The caller must compare its address with the authorizer's. With a
 * limit the answer is also false if finding out would exceed it.
 */
export function verifyMultisig(
  message: Uint8Array,
  multisig: MultisigSignature,
  { maxSlow = Number.POSITIVE_INFINITY }: MultisigLimits = {},
): boolean {
  if (problemOf(multisigParametersOf(multisig)) !== undefined) return false;
  if (signatureCount(multisig) < multisig.threshold) return false;
  const slow: (() => boolean)[] = [];
  for (const { publicKey, signature } of multisig.subsignatures) {
    if (signature === undefined) continue;
    const verdict = verifyQuickly(publicKey, message, signature);
    if (verdict === false) return false;
    if (verdict === undefined) slow.push(() => verify(publicKey, message, signature));
  }
  return slow.length <= maxSlow && slow.every((isValid) => isValid());
}

/**
 * A multisig signature of `message` by one key of the account.
 * @throws AlgorandError `invalid_multisig` if the parameters are wrong or the signer is not one of the keys
 */
export function signMultisig(
  parameters: MultisigParameters,
  message: Uint8Array,
  signer: MultisigSigner,
): MultisigSignature {
  const problem = problemOf(parameters);
  if (problem !== undefined) throw new AlgorandError('invalid_multisig', problem);
  const { version, threshold, publicKeys } = parameters;
  const unsigned = { version, threshold, subsignatures: publicKeys.map((publicKey) => ({ publicKey })) };
  return appendSignature(unsigned, message, signer);
}

/**
 * A copy of `multisig` with the signer's signature at each of its keys.
 * @throws AlgorandError `invalid_multisig` if the signer is not one of the keys
 */
export function appendSignature(
  multisig: MultisigSignature,
  message: Uint8Array,
  signer: MultisigSigner,
): MultisigSignature {
  if (!multisig.subsignatures.some(({ publicKey }) => sameBytes(publicKey, signer.publicKey))) {
    throw new AlgorandError('invalid_multisig', `${formatAddress(signer.publicKey)} is not one of the multisig's keys`);
  }
  const signature = signer.sign(message);
  const subsignatures = multisig.subsignatures.map((subsignature) =>
    sameBytes(subsignature.publicKey, signer.publicKey) ? { ...subsignature, signature } : subsignature,
  );
  return { ...multisig, subsignatures };
}

function problemOf({ version, threshold, publicKeys }: MultisigParameters): string | undefined {
  if (publicKeys.length === 0 || publicKeys.length > MAX_KEYS) return `a multisig has 1 to ${MAX_KEYS} keys`;
  if (publicKeys.some((key) => key.length !== 32)) return 'a key of a multisig has 32 bytes';
  if (version !== VERSION) return `the version of a multisig is ${VERSION}`;
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > publicKeys.length) {
    return `the threshold of a multisig is 1 to the number of its keys (${publicKeys.length})`;
  }
  return undefined;
}
