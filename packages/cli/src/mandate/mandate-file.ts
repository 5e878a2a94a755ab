import { open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { type KnownMandate, type Mandate, readMandate } from '@avm402/client/mandate';
import { invalidArguments } from '../command/command.ts';
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

/**
 * Makes the file of a new mandate. It is on the disk when this resolves: money leaves next.
 * @throws X402Error `invalid_arguments` if there is such a file, or it can't be written
 */
export async function createMandateFile(path: string, record: MandateRecord): Promise<void> {
  await accessible('write', path, async () => {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(textOf(record));
      await file.sync();
    } catch (error) {
      // Half a file would keep the next try from making it.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  });
}

/**
 * Replaces a mandate's file as a whole. If the program dies or the disk is full, the old file is still there: nobody
 * finds a mandate again without it.
 * @throws X402Error `invalid_arguments`
 */
export async function replaceMandateFile(path: string, record: MandateRecord): Promise<void> {
  await accessible('write', path, async () => {
    const file = await realpath(path);
    const next = `${file}.next`;
    try {
      await writeFile(next, textOf(record), { flush: true });
      await rename(next, file);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
  });
}

function textOf(record: MandateRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}
