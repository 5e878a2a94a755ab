import * as z from 'zod/mini';
import { isNetwork, type Network } from '@avm402/core/network';
import type { JournalEntry } from './payment-journal.ts';
import type { SealedPayment } from './sealed-payment.ts';

const VERSION = 1;

const decimal = z.pipe(
  z.string().check(z.regex(/^\d{1,20}$/)),
  z.transform((digits: string) => BigInt(digits)),
);
const text = z.string().check(z.maxLength(2048));
const time = z.int().check(z.nonnegative());

const payment = z.object({
  txId: text,
  groupTxIds: z.array(text).check(z.maxLength(16)),
  groupId: z.exactOptional(text),
  lease: z.exactOptional(text),
  slotLease: z.exactOptional(text),
  network: z.custom<Network>((value) => typeof value === 'string' && isNetwork(value)),
  asset: text,
  amount: decimal,
  payTo: text,
  payer: text,
  fee: decimal,
  firstValid: decimal,
  lastValid: decimal,
  origin: text,
  method: text,
  path: z.string(),
  sentAt: time,
});

const entry = z.discriminatedUnion('event', [
  z.object({ event: z.literal('sent'), payment }),
  z.object({ event: z.literal('answered'), at: time, txId: text, status: z.int(), settled: z.boolean() }),
  z.object({ event: z.literal('confirmed'), at: time, txId: text, round: decimal }),
  z.object({ event: z.literal('expired'), at: time, txId: text }),
  z.object({ event: z.literal('returned'), at: time, txId: text, amount: decimal }),
]);

const line = z.object({ v: z.literal(VERSION), entry });

const sealedPayment = z.object({
  v: z.literal(VERSION),
  sealed: z.object({ payment, fingerprint: text, url: z.url(), header: z.string() }),
});

/** One line of the journal, with its line end. Integers beyond 2^53 are decimal strings. */
export function encodeEntry(value: JournalEntry): string {
  return `${encode({ v: VERSION, entry: value })}\n`;
}

/** The file of a sealed payment. */
export function encodeSealed(sealed: SealedPayment): string {
  return encode({ v: VERSION, sealed });
}

function encode(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));
}

/** The payment in a file; undefined if it holds none. */
export function parseSealed(json: string): SealedPayment | undefined {
  try {
    return sealedPayment.parse(JSON.parse(json)).sealed;
  } catch {
    return undefined;
  }
}

/** The entry of a line without its end; undefined if it is not one. */
export function parseEntry(json: string): JournalEntry | undefined {
  try {
    return line.parse(JSON.parse(json)).entry;
  } catch {
    return undefined;
  }
}
