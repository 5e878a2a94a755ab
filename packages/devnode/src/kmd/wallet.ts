import { refused } from '../errors.ts';
import { createHmac } from 'node:crypto';
import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import type { Multisig } from '../codec/schema/signed-transaction.ts';
import { addressKey, addressOfKey, type AddressKey } from '../transaction/address-key.ts';

/** T(0) is empty and T(1) is as long as a seed, so one step of HKDF-Expand (RFC 5869) is enough. */
const FIRST_BLOCK = Uint8Array.of(1);

const SEED_LENGTH = 32;

export interface WalletOptions {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  /** 32 bytes, from which generated keys are derived. */
  readonly masterDerivationKey: Uint8Array;
}

interface HeldKey {
  readonly seed: Uint8Array;
  readonly signer: Signer;
}

/** Named keys and multisig accounts. Nothing is encrypted: a development node keeps them in memory only. */
export class Wallet {
  readonly id: string;
  name: string;
  readonly #password: string;
  readonly #masterDerivationKey: Uint8Array;
  #keys = new Map<AddressKey, HeldKey>();
  #multisigs = new Map<AddressKey, Multisig>();
  #lastIndex = 0;

  constructor({ id, name, password, masterDerivationKey }: WalletOptions) {
    this.id = id;
    this.name = name;
    this.#password = password;
    this.#masterDerivationKey = masterDerivationKey;
  }

  /** @throws DevnodeError `refused`, with this status */
  checkPassword(password: string, status = 400): void {
    if (password !== this.#password) throw refused('error decrypting. wrong password?', status);
  }

  exportMasterDerivationKey(password: string): Uint8Array {
    this.checkPassword(password);
    return this.#masterDerivationKey;
  }

  /** Public keys, by their bytes. */
  get publicKeys(): Uint8Array[] {
    return sorted(this.#keys);
  }

  /** Generates the next key that the wallet does not hold yet. Deleted keys do not come back. */
  generateKey(): Uint8Array {
    for (;;) {
      this.#lastIndex++;
      const publicKey = this.#add(derivedSeed(this.#masterDerivationKey, this.#lastIndex));
      if (publicKey !== undefined) return publicKey;
    }
  }

  /** Imports a key by its seed, which the public key may follow. */
  importKey(privateKey: Uint8Array): Uint8Array {
    return this.#add(privateKey.slice(0, SEED_LENGTH)) ?? alreadyThere();
  }

  /** Gives seed and public key. */
  exportKey(publicKey: Uint8Array, password: string): Uint8Array {
    this.checkPassword(password);
    return Uint8Array.of(...this.#key(publicKey).seed, ...publicKey);
  }

  deleteKey(publicKey: Uint8Array, password: string): void {
    this.checkPassword(password);
    this.#keys.delete(addressKey(publicKey));
  }

  /** The signer of a key. @throws DevnodeError `refused` when the wallet does not hold it */
  signer(publicKey: Uint8Array): Signer {
    return this.#key(publicKey).signer;
  }

  /** Addresses of multisig accounts, by their bytes. */
  get multisigAddresses(): Uint8Array[] {
    return sorted(this.#multisigs);
  }

  importMultisig(address: Uint8Array, multisig: Multisig): void {
    const key = addressKey(address);
    if (this.#multisigs.has(key)) alreadyThere();
    this.#multisigs.set(key, multisig);
  }

  /** A multisig account without signatures. @throws DevnodeError `refused` when the wallet does not hold it */
  multisig(address: Uint8Array): Multisig {
    const found = this.#multisigs.get(addressKey(address));
    if (found) return found;
    throw refused('multisig information (pks, threshold) for address does not exist in this wallet');
  }

  deleteMultisig(address: Uint8Array, password: string): void {
    this.checkPassword(password);
    this.#multisigs.delete(addressKey(address));
  }

  mark(): () => void {
    const [name, keys, multisigs, lastIndex] = [this.name, [...this.#keys], [...this.#multisigs], this.#lastIndex];
    return () => {
      this.name = name;
      this.#keys = new Map(keys);
      this.#multisigs = new Map(multisigs);
      this.#lastIndex = lastIndex;
    };
  }

  #add(seed: Uint8Array): Uint8Array | undefined {
    const signer = createSigner(seed);
    const key = addressKey(signer.publicKey);
    if (this.#keys.has(key)) return undefined;
    this.#keys.set(key, { seed, signer });
    return signer.publicKey;
  }

  #key(publicKey: Uint8Array): HeldKey {
    const found = this.#keys.get(addressKey(publicKey));
    if (found) return found;
    throw refused('key does not exist in this wallet');
  }
}

function sorted(held: ReadonlyMap<AddressKey, unknown>): Uint8Array[] {
  return [...held.keys()].sort().map(addressOfKey);
}

function alreadyThere(): never {
  throw refused('key already exists in wallet');
}

/** The Ed25519 seed of a wallet's key number `index`: HKDF-Expand with HMAC-SHA-512/256 of its master derivation key. */
function derivedSeed(masterDerivationKey: Uint8Array, index: number): Uint8Array {
  const expand = createHmac('sha512-256', masterDerivationKey);
  return Uint8Array.from(expand.update(`AlgorandDeterministicKey-${index}`).update(FIRST_BLOCK).digest());
}
