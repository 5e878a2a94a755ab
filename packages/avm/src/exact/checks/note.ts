import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Bytes of note that cost no extra fee (algod: MaxTxnNoteBytes before v42, the free part since). */
const MAX_NOTE_BYTES = 1024;

/** The payment's note has at most 1024 bytes. Throws X402Error `invalid_exact_avm_note_too_long`. */
export function checkNote({ transferTransaction: { note } }: ExactPayment): void {
  if (note === undefined || note.length <= MAX_NOTE_BYTES) return;
  throw new X402Error('invalid_exact_avm_note_too_long', {
    message: `the note has ${note.length} bytes, at most ${MAX_NOTE_BYTES} are accepted`,
  });
}
