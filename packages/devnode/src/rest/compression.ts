import { promisify } from 'node:util';
import { crc32, gzip } from 'node:zlib';

const compress = promisify(gzip);

/** The most bytes that one uncompressed deflate block holds. */
const STORED_BLOCK_BYTES = 65_535;
// Magic number, deflate, no flags, no time, no extra flags, unknown system; then: last block, stored.
const STORED_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1]);
const OVERHEAD_BYTES = STORED_HEADER.length + 12;

/**
 * A body as a gzip stream. Short bodies are stored, not compressed: the client asked for the format, and setting up a
 * compressor would take more time than the rest of the answer.
 */
export function gzipped(body: Uint8Array): Uint8Array | Promise<Uint8Array> {
  // Differs from algod: stored-gzip
  return body.length <= STORED_BLOCK_BYTES ? stored(body) : compress(body);
}

function stored(body: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(body.length + OVERHEAD_BYTES);
  let at = STORED_HEADER.copy(out);
  at = out.writeUInt16LE(body.length, at);
  at = out.writeUInt16LE(~body.length & 0xffff, at);
  out.set(body, at);
  at = out.writeUInt32LE(crc32(body), at + body.length);
  out.writeUInt32LE(body.length, at);
  return out;
}
