import { hexToBytes, randomBytes } from '@noble/hashes/utils.js';
import { formatAddress, parseAddress } from './address.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { sameBytes } from './bytes.ts';
import { createSigner, publicKeyFromSeed, type Signer } from './ed25519.ts';
import { AlgorandError } from './errors.ts';
import { mnemonicToSeed } from './mnemonic.ts';
import { encodeAuthorized } from './signed-transaction.ts';
import { encodeTransaction, type Transaction, transactionSigningBytes } from './transaction.ts';

/** An account that can sign. No property holds its secret, so it can't be printed, serialised or read back. */
export interface Account {
  /** The sender's address. For a rekeyed account it differs from the signer's. */
  readonly address: string;
  /** The 32 bytes of the key that signs. */
  readonly publicKey: Uint8Array;
  /** The address of the key that signs. */
  readonly signerAddress: string;
  /** The 64-byte Ed25519 signature of any message. */
  sign(message: Uint8Array): Uint8Array;
  /**
   * The encoded signed transaction, with `sgnr` for a rekeyed account.
   * @throws AlgorandError `invalid_transaction` if its sender is another account
   */
  signTransaction(transaction: Transaction): Uint8Array;
}

/** A new account. Save its seed before you fund it. */
export interface NewAccount extends Account {
  exportSeed(): Uint8Array;
}

export interface AccountOptions {
  /** The account to pay from, when it is rekeyed to this key. Default: the key's own address. */
  readonly address?: string;
}

const SEED_LENGTH = 32;
const PRIVATE_KEY_LENGTH = 64;

/**
 * The account of a secret in any usual form: 25 words; base64 of 64 bytes (seed and public key) or of 32 (seed); or hex
 * of the same bytes.
 * @throws AlgorandError `invalid_mnemonic`, `invalid_key`, `invalid_address`; the message names the form that was seen
 * and what is wrong with it, never the secret
 */
export function parseAccount(secret: string, options: AccountOptions = {}): Account {
  // In JavaScript, or from an environment variable, a missing secret is undefined.
  return accountOf(signerOf(typeof secret === 'string' ? secret.trim() : ''), options);
}

/**
 * The account of a 32-byte seed.
 * @throws AlgorandError `invalid_key` for any other length, `invalid_address`
 */
export function accountFromSeed(seed: Uint8Array, options: AccountOptions = {}): Account {
  return accountOf(createSigner(seed), options);
}

function accountOf(signer: Signer, options: AccountOptions): Account {
  // In JavaScript: an address that is passed alone must not be overlooked, because another account would pay.
  if (Object(options) !== options)
    throw new AlgorandError('invalid_address', 'pass the address in an object: { address }');
  return new Ed25519Account(signer, options.address);
}

/** A new account from 32 random bytes, by default those of the platform. */
export function createAccount(random: (bytes: number) => Uint8Array = randomBytes): NewAccount {
  const seed = Uint8Array.from(random(SEED_LENGTH));
  const account = new Ed25519Account(createSigner(seed), undefined);
  return Object.assign(account, { exportSeed: () => seed.slice() });
}

/** A seed as wallets and the x402 packages write it: base64 of 64 bytes, the seed and then its public key. */
export function encodePrivateKey(seed: Uint8Array): string {
  return encodeBase64(Uint8Array.from([...seed, ...publicKeyFromSeed(seed)]));
}

class Ed25519Account implements Account {
  readonly address: string;
  readonly publicKey: Uint8Array;
  readonly signerAddress: string;
  readonly #signer: Signer;

  constructor(signer: Signer, address: string | undefined) {
    if (address !== undefined) parseAddress(address);
    this.publicKey = signer.publicKey;
    this.signerAddress = formatAddress(signer.publicKey);
    this.address = address ?? this.signerAddress;
    this.#signer = signer;
  }

  sign(message: Uint8Array): Uint8Array {
    return this.#signer.sign(message);
  }

  signTransaction(txn: Transaction): Uint8Array {
    if (txn.sender !== this.address) {
      const message = `the sender of the transaction is ${txn.sender}, this account ${this.address}`;
      throw new AlgorandError('invalid_transaction', message, { field: 'sender' });
    }
    const encoded = encodeTransaction(txn);
    const signature = this.sign(transactionSigningBytes(encoded));
    const isRekeyed = this.signerAddress !== this.address;
    return encodeAuthorized(encoded, { signature, ...(isRekeyed && { authAddress: this.signerAddress }) });
  }
}

function signerOf(secret: string): Signer {
  if (/^["']|["']$/.test(secret)) throw invalidKey('the secret is in quotation marks; leave them out');
  if (/\s/.test(secret)) return createSigner(mnemonicToSeed(secret));
  if (/^[0-9a-fA-F]+$/.test(secret) && (secret.length === 64 || secret.length === 128)) {
    return signerOfBytes(hexToBytes(secret), 'hex');
  }
  const bytes = decodeBase64(secret);
  if (bytes?.length === SEED_LENGTH || bytes?.length === PRIVATE_KEY_LENGTH) return signerOfBytes(bytes, 'base64');
  throw invalidKey(`${describe(secret, bytes)}; ${EXPECTED_FORMS}`);
}

const EXPECTED_FORMS = 'expected 25 words, base64 of 64 or 32 bytes, or 128 or 64 hex digits';

/** Describes a text that is not a secret, without quoting it. */
function describe(secret: string, bytes: Uint8Array | undefined): string {
  if (secret === '') return 'the secret is empty';
  if (/^[A-Z2-7]{58}$/.test(secret)) return 'this is an address, not a secret';
  if (/^(0x)?[0-9a-fA-F]+$/.test(secret)) return `the secret looks like hex, with ${secret.length} characters`;
  if (bytes !== undefined) return `the secret looks like base64 of ${bytes.length} bytes`;
  return `the secret has no known form (${secret.length} characters)`;
}

/** Signs with 32 bytes of seed, or with 64 bytes whose second half must be the seed's public key. */
function signerOfBytes(bytes: Uint8Array, form: 'base64' | 'hex'): Signer {
  const signer = createSigner(bytes.slice(0, SEED_LENGTH));
  if (bytes.length === SEED_LENGTH || sameBytes(signer.publicKey, bytes.subarray(SEED_LENGTH))) return signer;
  throw invalidKey(`the secret is ${form} of 64 bytes, but its second half is not the public key of the first`);
}

function invalidKey(message: string): AlgorandError {
  return new AlgorandError('invalid_key', message);
}
