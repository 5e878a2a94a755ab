import { refused } from '../errors.ts';
import { timingSafeEqual } from 'node:crypto';
import type { Wallet } from './wallet.ts';
import type { Random, Wallets } from './wallets.ts';

const ID_BYTES = 8;
const SECRET_BYTES = 32;

interface OpenHandle {
  readonly wallet: Wallet;
  readonly secret: Uint8Array;
  expires: number;
}

export interface HandlesOptions {
  /** The wallets that are there; a developer control can put them back. */
  readonly wallets: Pick<Wallets, 'list'>;
  /** How long a handle is valid after it was opened or renewed, in ms. */
  readonly lifetimeMs: number;
  /** A monotonic clock in ms. */
  readonly now: () => number;
  readonly random: Random;
}

/** The state of an open handle. */
export interface HandleState {
  readonly wallet: Wallet;
  /** Whole seconds left. */
  readonly expiresSeconds: number;
}

/**
 * Handles to wallets that were opened with their password. A token is an id and a secret in hex. Using it does not
 * renew the handle. Every refusal is a DevnodeError `refused` with status 401.
 */
export class Handles {
  readonly #open = new Map<string, OpenHandle>();
  readonly #options: HandlesOptions;

  constructor(options: HandlesOptions) {
    this.#options = options;
  }

  /** Opens a wallet and gives the handle's token. */
  open(wallet: Wallet): string {
    const { random } = this.#options;
    this.#forgetExpired();
    const id = Buffer.from(random(ID_BYTES)).toString('hex');
    const secret = random(SECRET_BYTES);
    this.#open.set(id, { wallet, secret, expires: this.#expiry() });
    return `${id}.${Buffer.from(secret).toString('hex')}`;
  }

  wallet(token: string): Wallet {
    return this.#unexpired(token).wallet;
  }

  state(token: string): HandleState {
    const { wallet, expires } = this.#unexpired(token);
    return { wallet, expiresSeconds: Math.floor((expires - this.#options.now()) / 1000) };
  }

  renew(token: string): HandleState {
    this.#unexpired(token).expires = this.#expiry();
    return this.state(token);
  }

  /** Closes a handle, even an expired one. */
  release(token: string): void {
    this.#find(token);
    this.#open.delete(idOf(token));
  }

  #expiry(): number {
    return this.#options.now() + this.#options.lifetimeMs;
  }

  #unexpired(token: string): OpenHandle {
    const handle = this.#find(token);
    if (handle.expires > this.#options.now()) return handle;
    this.#open.delete(idOf(token));
    throw refused('handle expired', 401);
  }

  #find(token: string): OpenHandle {
    const [id, secret] = partsOf(token);
    const handle = this.#open.get(id);
    if (!handle || !this.#options.wallets.list.includes(handle.wallet)) throw refused('handle does not exist', 401);
    if (!timingSafeEqual(handle.secret, Buffer.from(secret, 'hex'))) throw refused('invalid token', 401);
    return handle;
  }

  /** Drops handles that expired a lifetime ago, so that unreleased handles can't fill memory. */
  #forgetExpired(): void {
    const { now, lifetimeMs } = this.#options;
    for (const [id, { expires }] of this.#open) if (expires + lifetimeMs < now()) this.#open.delete(id);
  }
}

function partsOf(token: string): readonly [id: string, secret: string] {
  const dot = token.indexOf('.');
  if (dot === -1) throw refused('wrong number of token parts', 401);
  const [id, secret] = [token.slice(0, dot), token.slice(dot + 1)];
  if (!/^[\da-f]{16}$/.test(id)) throw refused('invalid wallet handle id', 401);
  if (!/^[\da-f]{64}$/.test(secret)) throw refused('invalid wallet handle secret', 401);
  return [id, secret];
}

function idOf(token: string): string {
  return token.slice(0, token.indexOf('.'));
}
