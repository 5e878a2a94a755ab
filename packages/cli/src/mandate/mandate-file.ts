import { writeFile } from 'node:fs/promises';
import { type KnownMandate, type Mandate, readMandate } from '@avm402/client/mandate';
import { invalidArguments } from '../command.ts';
import { accessible, readJsonInput } from '../options/input-file.ts';

/** A file of a mandate: the mandate, and what its owner gave it. Nothing in it is secret. */
export interface MandateRecord extends Mandate {
  /** Atomic units in all, in decimal digits: what it is opened with, and what was added and confirmed. Absent if that is not known. */
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
  const value = await readJsonInput(path);
  if (value === undefined) throw invalidArguments(`${path} is not a mandate file: it is not JSON`);
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
  await accessible('write', path, () => writeFile(path, `${JSON.stringify(record, undefined, 2)}\n`, { flag }));
}
