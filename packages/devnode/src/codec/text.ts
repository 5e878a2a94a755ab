import { encodeBase64 } from '@avm402/algorand/base64';
import type { Kind } from './kind.ts';
import { readBytes } from './bytes.ts';
import type { Source } from './source.ts';
import { bytesOfExactText, exactText } from '@avm402/teal/go';

const ASCII = /^[ -~]*$/;

/**
 * A text whose bytes need not be UTF-8, as a string of one character per byte: nothing is lost, and its length is the
 * length in bytes. For identifiers, which normally are ASCII.
 */
export const byteString: Kind<string> = {
  zero: '',
  isZero: (value) => value === '',
  isUnset: (value) => value === '',
  read(source) {
    const { buffer, byteOffset, byteLength } = readText(source);
    return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  },
  write(writer, value) {
    // An ASCII character is one byte in either encoding, and the writer has a fast path for that.
    if (ASCII.test(value)) writer.text(value);
    else writer.textBytes(Buffer.from(value, 'latin1'));
  },
  json: (value) => quoteUtf8(Buffer.from(value, 'latin1')),
};

/** The bytes of such a text in base64. */
export function byteStringBase64(value: string): string {
  return encodeBase64(Buffer.from(value, 'latin1'));
}

const NO_TEXT = new Uint8Array(0);

/** A text kept as its bytes, which need not be UTF-8. */
export const textBytes: Kind<Uint8Array> = {
  zero: NO_TEXT,
  isZero: (value) => value.length === 0,
  isUnset: (value) => value.length === 0,
  read: readText,
  write: (writer, value) => void writer.textBytes(value),
  json: quoteUtf8,
};

/** A JavaScript string, written as UTF-8. For this node's own messages, which may quote other bytes; never read. */
export const text: Kind<string> = {
  ...byteString,
  write: (writer, value) => void writer.textBytes(bytesOfExactText(value)),
  json: quoteText,
};

function readText(source: Source): Uint8Array {
  switch (source.shape()) {
    case 'nil':
      source.nil();
      return NO_TEXT;
    case 'bytes':
      return source.text();
    case 'list':
      return readBytes(source) ?? NO_TEXT;
    case 'other':
      return source.text();
    case 'map':
  }
  throw source.error('invalid container type: expecting bin|str|array, got: 0x9');
}

// A byte that is not UTF-8, as `exactText` gives it.
const NO_TEXT_BYTE = /\p{Surrogate}/gu;

/** A JSON text as algod's codec writes it: escapes control characters and bytes that are not UTF-8, but not HTML. */
function quoteUtf8(encoded: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = encoded;
  const decoded = exactText(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'));
  const escaped = JSON.stringify(decoded.replaceAll(NO_TEXT_BYTE, '\ufffd')).replaceAll('\ufffd', String.raw`\ufffd`);
  return escaped.replaceAll('\u2028', String.raw`\u2028`).replaceAll('\u2029', String.raw`\u2029`);
}

/** A JavaScript string as a JSON text, by the same rules. */
export function quoteText(value: string): string {
  return quoteUtf8(Buffer.from(value, 'utf8'));
}
