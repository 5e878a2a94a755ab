import { refused } from './refused.ts';
import { isAllZero } from '../codec/bytes.ts';
import { Wallet } from './wallet.ts';

const MAX_NAME_BYTES = 64;
const ID_BYTES = 16;
const KEY_BYTES = 32;
const DRIVER = 'sqlite';

/** Gives that many random bytes. */
export type Random = (bytes: number) => Uint8Array;

export interface NewWallet {
  /** One character a byte. Empty: the id is the name. */
  readonly name: string;
  readonly driver: string;
  readonly password: string;
  /** All zero: a random one. */
  readonly masterDerivationKey: Uint8Array;
}

/** The wallets of a KMD. */
export class Wallets {
  readonly #wallets = new Map<string, Wallet>();
  /** By the order of the list, which goes by the files that KMD keeps: a rename does not move a file. */
  readonly #files: { readonly file: string; readonly wallet: Wallet }[] = [];
  /** A name given at creation stays taken as long as KMD runs. */
  readonly #createdNames = new Set<string>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  get list(): readonly Wallet[] {
    return this.#files.map(({ wallet }) => wallet);
  }

  /** @throws DevnodeError `refused` when there is none of this id */
  byId(id: string): Wallet {
    const wallet = this.#wallets.get(id);
    if (wallet) return wallet;
    throw refused('wallet not found');
  }

  create({ name: given, driver, password, masterDerivationKey }: NewWallet): Wallet {
    if (driver !== DRIVER) throw refused('unknown wallet driver');
    if (given.length > MAX_NAME_BYTES) throw refused(`wallet name too long, must be <= ${MAX_NAME_BYTES} bytes`);
    const id = Buffer.from(this.#random(ID_BYTES)).toString('hex');
    const name = given === '' ? id : given;
    this.#requireFree(name);
    const key = isAllZero(masterDerivationKey) ? this.#random(KEY_BYTES) : masterDerivationKey;
    const wallet = new Wallet({ id, name, password, masterDerivationKey: key });
    this.#createdNames.add(name);
    this.#wallets.set(id, wallet);
    this.#files.push({ file: fileName(wallet), wallet });
    this.#files.sort((a, b) => (a.file < b.file ? -1 : 1));
    return wallet;
  }

  rename(id: string, name: string, password: string): Wallet {
    const wallet = this.byId(id);
    this.#requireFree(name);
    wallet.checkPassword(password);
    wallet.name = name;
    return wallet;
  }

  #requireFree(name: string): void {
    const taken = this.#createdNames.has(name) || this.list.some((wallet) => wallet.name === name);
    if (taken) throw refused('wallet with same name already exists');
  }
}

function fileName({ name, id }: Wallet): string {
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '')}.${id}.db`;
}
