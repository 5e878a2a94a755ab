import { readFile, writeFile } from 'node:fs/promises';
import { X402Error } from '@avm402/core/errors';
import { type KnownMandate, type Mandate, readMandate } from '@avm402/client/mandate';

/** A file of a mandate: the mandate, and what its owner gave it. Nothing in it is secret. */
export interface MandateRecord extends Mandate {
  /** Atomic units in all, in decimal digits. */
  readonly funded?: string;
}

/** A mandate file that was read. */
export interface MandateInFile {
  readonly record: MandateRecord;
  readonly mandate: KnownMandate;
  readonly funded: bigint | undefined;
}

/** @throws X402Error `invalid_arguments`, `invalid_mandate` */
export async function readMandateFile(path: string): Promise<MandateInFile> {
  const value: unknown = await jsonIn(path);
  const mandate = readMandate(value);
  const record = value as MandateRecord;
  const { funded } = record;
  return {
    record,
    mandate,
    funded: typeof funded === 'string' && /^\d{1,20}$/.test(funded) ? BigInt(funded) : undefined,
  };
}

/** @throws X402Error `invalid_arguments` if there is such a file, and it may not be replaced */
export async function writeMandateFile(path: string, record: MandateRecord, flag: 'wx' | 'w'): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(record, undefined, 2)}\n`, { flag });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('invalid_arguments', { message: `can't write ${path}: ${why}` });
  }
}

async function jsonIn(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('invalid_arguments', { message: `${path} is not a mandate file: ${why}` });
  }
}
