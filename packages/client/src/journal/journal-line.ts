import * as z from 'zod/mini';
import { decimal, fromJson, network, text, toJson } from './json-line.ts';
import type { JournalEntry } from './payment-journal.ts';
import type { SealedPayment } from './sealed-payment.ts';

const VERSION = 1;

const time = z.number().check(z.nonnegative());

const payment = z.object({
  txId: text,
  groupTxIds: z.array(text).check(z.maxLength(16)),
  groupId: z.exactOptional(text),
  lease: z.exactOptional(text),
  slotLease: z.exactOptional(text),
  network,
  asset: text,
  amount: decimal,
  payTo: text,
  payer: text,
  fee: decimal,
  firstValid: decimal,
  lastValid: decimal,
  origin: z.string(),
  method: z.string(),
  path: z.string(),
  sentAt: time,
});

const entry = z.discriminatedUnion('event', [
  z.object({ event: z.literal('sent'), payment }),
  z.object({ event: z.literal('answered'), at: time, txId: text, status: z.int(), settled: z.boolean() }),
  z.object({ event: z.literal('confirmed'), at: time, txId: text, round: decimal }),
  z.object({ event: z.enum(['expired', 'forgotten']), at: time, txId: text }),
  z.object({ event: z.literal('returned'), at: time, txId: text, amount: decimal }),
]);

const line = z.object({ v: z.literal(VERSION), entry });

const sealedPayment = z.object({
  v: z.literal(VERSION),
  sealed: z.object({ payment, fingerprint: text, url: z.url(), header: z.string() }),
});

/** One line of the journal, with its line end. */
export function encodeEntry(value: JournalEntry): string {
  return `${toJson({ v: VERSION, entry: value })}\n`;
}

/** The entry of a line without its end; undefined if it is not one. */
export function parseEntry(json: string): JournalEntry | undefined {
  return fromJson(line, json)?.entry;
}

/** The file of a sealed payment. */
export function encodeSealed(sealed: SealedPayment): string {
  return toJson({ v: VERSION, sealed });
}

/** The payment in a file; undefined if it holds none. */
export function parseSealed(json: string): SealedPayment | undefined {
  return fromJson(sealedPayment, json)?.sealed;
}
