import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAddress } from '@avm402/algorand/address';
import { X402Error } from '@avm402/core/errors';
import * as z from 'zod';
import { reasonOf } from '../reason.ts';

/** The holder of a key: a seller, or the operator. */
export interface Caller {
  /** The name in the log and the ledger. */
  readonly name: string;
  /** Addresses that payments may go to; absent: any. */
  readonly receivers?: readonly string[] | undefined;
  /** Keys, as addresses, with which channels to these receivers may be claimed; absent: any. */
  readonly claimKeys?: readonly string[] | undefined;
  /** Requests a minute; absent: no limit. */
  readonly perMinute?: number | undefined;
  /** Whether it may read metrics and the whole ledger. */
  readonly operator: boolean;
}

const MAX_CALLERS = 10_000;
const addresses = z.array(z.string().refine(isAddress, 'must be Algorand addresses')).min(1);
const caller = z
  .strictObject({
    name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores'),
    keySha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the key, as 64 hexadecimal digits'),
    receivers: addresses.optional(),
    claimKeys: addresses.optional(),
    perMinute: z.int().min(1).max(1_000_000_000).optional(),
    operator: z.boolean().default(false),
  })
  .refine((one) => one.claimKeys === undefined || one.receivers !== undefined, 'names claimKeys without receivers');
const file = z.array(caller).min(1).max(MAX_CALLERS);

const BEARER = /^Bearer +([\x21-\x7e]{16,512})$/i;

/** The callers of a facilitator, known by their keys. */
export class Callers {
  #byKeyHash: ReadonlyMap<string, Caller>;
  readonly #path: string | undefined;

  private constructor(byKeyHash: ReadonlyMap<string, Caller>, path?: string) {
    this.#byKeyHash = byKeyHash;
    this.#path = path;
  }

  get size(): number {
    return this.#byKeyHash.size;
  }

  /**
   * Reads the callers from a file.
   * @throws X402Error `environment_invalid`, which names what is wrong and where
   */
  static read(path: string): Callers {
    return new Callers(parseCallers(readText(path)), path);
  }

  /**
   * Reads the file again, if the callers came from one; callers that are no longer in it lose access. A faulty file
   * changes nothing.
   * @throws X402Error `environment_invalid`
   */
  reload(): void {
    if (this.#path !== undefined) this.#byKeyHash = parseCallers(readText(this.#path));
  }

  /**
   * Reads the file's text: a JSON array of `{ name, keySha256, receivers?, claimKeys?, perMinute?, operator? }`.
   * @throws X402Error `environment_invalid`, which names what is wrong and where
   */
  static parse(text: string): Callers {
    return new Callers(parseCallers(text));
  }

  /** The keys with which channels to a receiver may be claimed; `undefined`: no caller with this receiver names any. */
  claimKeysOf(receiver: string): ReadonlySet<string> | undefined {
    const callers = [...this.#byKeyHash.values()].filter(({ receivers }) => receivers?.includes(receiver));
    const keys = callers.flatMap(({ claimKeys = [] }) => claimKeys);
    return keys.length === 0 ? undefined : new Set(keys);
  }

  /** Finds the caller of `Authorization: Bearer …`. Keys are compared by hash, so timing reveals nothing about them. */
  find(authorization: string | undefined): Caller | undefined {
    const key = BEARER.exec(authorization ?? '')?.[1];
    return key === undefined ? undefined : this.#byKeyHash.get(createHash('sha256').update(key).digest('hex'));
  }
}

/** @throws X402Error `environment_invalid` */
function parseCallers(text: string): ReadonlyMap<string, Caller> {
  const parsed = file.safeParse(jsonOf(text));
  if (!parsed.success)
    throw invalid(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()));
  const byKeyHash = new Map<string, Caller>();
  const names = new Set<string>();
  for (const { keySha256, ...one } of parsed.data) {
    const { name } = one;
    if (byKeyHash.has(keySha256) || names.has(name))
      throw invalid([`${name}: another caller has the same name or key`]);
    names.add(name);
    byKeyHash.set(keySha256, one);
  }
  return byKeyHash;
}

/** @throws X402Error `receiver_not_allowed` */
export function assertReceiver({ receivers, name }: Caller, payTo: unknown): void {
  if (receivers === undefined || (typeof payTo === 'string' && receivers.includes(payTo))) return;
  throw new X402Error('receiver_not_allowed', { details: { caller: name } });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid([reasonOf(error)]);
  }
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw invalid(['is not JSON']);
  }
}

function invalid(problems: readonly string[]): X402Error {
  return new X402Error('environment_invalid', { message: problems.slice(0, 10).join('; ') });
}
