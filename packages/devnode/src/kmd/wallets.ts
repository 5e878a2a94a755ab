import { refused } from '../errors.ts';
import { isAllZero } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/kind.ts';
import { markAll } from '../ledger/mark.ts';
import type { request } from './messages.ts';
import { Wallet } from './wallet.ts';

const MAX_NAME_BYTES = 64;
const ID_BYTES = 16;
const KEY_BYTES = 32;
const DRIVER = 'sqlite';

/** Gives the requested number of random bytes. */
export type Random = (bytes: number) => Uint8Array;

interface WalletFile {
  readonly path: string;
  /** The name at its creation, which stays taken as long as KMD runs. */
  readonly createdAs: string;
  readonly wallet: Wallet;
}

/** The wallets of a KMD. */
export class Wallets {
  /** In the order of KMD's list, which is that of its files; a rename does not move a file. */
  #files: readonly WalletFile[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  get list(): readonly Wallet[] {
    return this.#files.map(({ wallet }) => wallet);
  }

  /** @throws DevnodeError `refused` when no wallet has this id */
  byId(id: string): Wallet {
    const wallet = this.list.find((each) => each.id === id);
    if (wallet) return wallet;
    throw refused('wallet not found');
  }

  /** With an empty name, the id becomes the name; without a master derivation key, a random one is taken. */
  create(asked: ValueOf<typeof request.createWallet>): Wallet {
    const { name: given, driver, password, masterDerivationKey } = asked;
    if (driver !== DRIVER) throw refused('unknown wallet driver');
    if (given.length > MAX_NAME_BYTES) throw refused(`wallet name too long, must be <= ${MAX_NAME_BYTES} bytes`);
    const id = Buffer.from(this.#random(ID_BYTES)).toString('hex');
    const name = given === '' ? id : given;
    this.#requireFree(name);
    const key = isAllZero(masterDerivationKey) ? this.#random(KEY_BYTES) : masterDerivationKey;
    const wallet = new Wallet({ id, name, password, masterDerivationKey: key });
    const file = { path: filePath(wallet), createdAs: name, wallet };
    this.#files = [...this.#files, file].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return wallet;
  }

  rename(id: string, name: string, password: string): Wallet {
    const wallet = this.byId(id);
    this.#requireFree(name);
    wallet.checkPassword(password);
    wallet.name = name;
    return wallet;
  }

  mark(): () => void {
    const files = this.#files;
    const putBack = markAll(this.list);
    return () => {
      this.#files = files;
      putBack();
    };
  }

  #requireFree(name: string): void {
    if (this.#files.some(({ createdAs, wallet }) => createdAs === name || wallet.name === name))
      throw refused('wallet with same name already exists');
  }
}

function filePath({ name, id }: Wallet): string {
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '')}.${id}.db`;
}
