import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalEntry, SentPayment } from '@avm402/client';
import { openFileJournal, type FileJournal, type FileJournalOptions } from '@avm402/client/file-journal';
import type { SealedPayment } from '../src/journal/sealed-payment.ts';
import { requirements } from './seller.ts';

const { network, asset, payTo } = requirements;
const NOW = 1_700_000_000_000;
const TEN_MINUTES = 600_000;
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-sealed-'));
  file = join(folder, 'payments.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

function paymentNamed(txId: string): SentPayment {
  const on = { network, asset, amount: 10_000n, payTo, payer: 'P', fee: 0n, firstValid: 1n, lastValid: 32n };
  return { ...on, txId, groupTxIds: [txId], origin: 'https://x.example', method: 'GET', path: '/', sentAt: NOW };
}

function sealedNamed(txId: string, fingerprint = 'same'): SealedPayment {
  return { payment: paymentNamed(txId), fingerprint, url: 'https://x.example/?q', header: `header of ${txId}` };
}

async function opened<T>(work: (journal: FileJournal) => T, options: FileJournalOptions = {}): Promise<Awaited<T>> {
  const journal = await openFileJournal(file, { now: () => NOW, ...options });
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** A process that ends with a payment on its way, and what it knew of it. */
const leave = (...known: readonly JournalEntry[]): Promise<void> =>
  opened(async ({ sealed, ...journal }) => {
    await journal.append({ event: 'sent', payment: paymentNamed('A') });
    await sealed?.keep(sealedNamed('A'));
    for (const entry of known) await journal.append(entry);
  });

const left = (options?: FileJournalOptions) => opened(({ sealed }) => sealed?.take('same', undefined), options);
const proofs = (): Promise<string[]> => readdir(`${file}.proofs`).catch(() => []);

describe('what an earlier process left', () => {
  it('is handed out once, to the same request of the same payer, as it was sent', async () => {
    await leave();
    await opened(({ sealed }) => {
      expect(sealed?.take('another', undefined)).toBeUndefined();
      expect(sealed?.take('same', 'Q')).toBeUndefined();
      expect(sealed?.take('same', 'P')).toEqual({ ...sealedNamed('A'), state: 'sent' });
      expect(sealed?.take('same', 'P')).toBeUndefined();
    });
    // It still lacks its answer.
    expect(await left()).toMatchObject({ header: 'header of A' });
  });

  it('is not what this process has on its way', async () => {
    await opened(async ({ sealed, ...journal }) => {
      await journal.append({ event: 'sent', payment: paymentNamed('A') });
      await sealed?.keep(sealedNamed('A'));
      expect(sealed?.take('same', undefined)).toBeUndefined();
    });
  });

  const at = NOW;
  it.each<[string, readonly JournalEntry[], object | undefined]>([
    ['refused by the seller', [{ event: 'answered', at, txId: 'A', status: 402, settled: false }], { state: 'sent' }],
    [
      'cut off behind its receipt',
      [{ event: 'answered', at, txId: 'A', status: 200, settled: true }],
      { state: 'sent' },
    ],
    ['without a receipt', [{ event: 'answered', at, txId: 'A', status: 200, settled: false }], { state: 'answered' }],
    ['confirmed', [{ event: 'confirmed', at, txId: 'A', round: 7n }], { state: 'sent', confirmedIn: 7n }],
    ['expired', [{ event: 'expired', at, txId: 'A' }], undefined],
    [
      'answered without a receipt, and confirmed',
      [
        { event: 'answered', at, txId: 'A', status: 200, settled: false },
        { event: 'confirmed', at, txId: 'A', round: 7n },
      ],
      undefined,
    ],
    ['something else', [{ event: 'expired', at, txId: 'B' }], { state: 'sent' }],
  ])('is known by the journal: %s', async (_what, known, found) => {
    await leave(...known);
    const taken = await left();
    if (found) expect(taken).toMatchObject(found);
    else expect(taken).toBeUndefined();
    expect(await proofs()).toEqual(found ? ['A'] : []);
  });

  it.each<[number, bigint, string[]]>([
    [NOW + TEN_MINUTES - 1, 1_000n, ['A']],
    [NOW + 100 * TEN_MINUTES, 246n, ['A']],
    [NOW + TEN_MINUTES, 247n, []],
  ])(
    'goes once it was confirmed and is older than ten minutes, by the clock and by the rounds of later payments (%s, %s)',
    async (now, round, names) => {
      await leave(
        { event: 'confirmed', at: NOW, txId: 'A', round: 7n },
        { event: 'sent', payment: paymentNamed('LATER') },
        { event: 'confirmed', at: NOW, txId: 'LATER', round },
      );
      await left({ now: () => now });
      expect(await proofs()).toEqual(names);
    },
  );

  it('goes when it is dropped, or expires meanwhile', async () => {
    await leave();
    await opened(async ({ sealed, ...journal }) => {
      await journal.append({ event: 'expired', at, txId: 'A' });
      expect(sealed?.take('same', undefined)).toBeUndefined();
      expect(await proofs()).toEqual([]);
    });
    await leave();
    await opened(({ sealed }) => sealed?.drop('A'));
    expect(await readdir(folder)).toEqual(['payments.jsonl']);
  });

  it('never left where a crash cut its file short, or the journal does not know it', async () => {
    await leave();
    const whole = await readFile(join(`${file}.proofs`, 'A'), 'utf8');
    await writeFile(join(`${file}.proofs`, 'A'), whole.slice(0, -5));
    await writeFile(join(`${file}.proofs`, 'B'), whole.replaceAll('"A"', '"B"'));
    expect(await left()).toBeUndefined();
    expect(await proofs()).toEqual([]);
  });

  it('is removed where no proofs are to be kept', async () => {
    await leave();
    await opened(({ sealed }) => expect(sealed).toBeUndefined(), { keepProofs: false });
    expect(await readdir(folder)).toEqual(['payments.jsonl']);
  });
});

it('a payment that can’t be kept does not leave', async () => {
  await mkdir(file.slice(0, -1), { recursive: true });
  await writeFile(`${file}.proofs`, 'in the way');
  await expect(openFileJournal(file)).rejects.toMatchObject({ code: 'journal_unavailable' });
  await rm(`${file}.proofs`);
  await opened(async ({ sealed }) => {
    await writeFile(`${file}.proofs`, 'in the way');
    await expect(sealed?.keep(sealedNamed('A'))).rejects.toMatchObject({
      code: 'journal_unavailable',
      message: expect.not.stringContaining('header of A'),
    });
  });
});
