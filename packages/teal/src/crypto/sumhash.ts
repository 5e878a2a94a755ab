import { shake256 } from '@noble/hashes/sha3.js';

/** Rows of the matrix, which are also the words of the state and of a hash. */
const ROWS = 8;
/** Bits of the compressed input: the state and a block. */
const COLUMNS = 1024;
const WORD_BYTES = 8;
const BLOCK_BYTES = 64;
/** The message's length in bits is at the end of the last block. */
const LENGTH_BYTES = 16;
const END_OF_MESSAGE = 1;
const HALF = 2 ** 32;

/** The matrix of all hashes. It is made for the first one, because that takes a twentieth of a node's start. */
let matrix: DataView | undefined;

/** Algorand's subset-sum hash (sumhash512, unsalted): 64 bytes. */
export function sumhash512(message: Uint8Array): Uint8Array {
  matrix ??= createMatrix();
  const padded = withLength(message);
  const input = new Uint8Array(2 * BLOCK_BYTES);
  for (let place = 0; place < padded.length; place += BLOCK_BYTES) {
    input.set(padded.subarray(place, place + BLOCK_BYTES), BLOCK_BYTES);
    input.set(compress(matrix, input));
  }
  return input.slice(0, BLOCK_BYTES);
}

/** Low and high halves of the matrix's words: SHAKE256 of the bits per word, rows, columns, and a name. */
function createMatrix(): DataView {
  const seed = Uint8Array.from([64, 0, ROWS, 0, 0, 4, ...new TextEncoder().encode('Algorand')]);
  return new DataView(shake256(seed, { dkLen: ROWS * COLUMNS * WORD_BYTES }).buffer);
}

function withLength(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = END_OF_MESSAGE;
  new DataView(padded.buffer).setBigUint64(padded.length - LENGTH_BYTES, BigInt(message.length) * 8n, true);
  return padded;
}

/** For each row, the sum modulo 2^64 of the words whose bit is set. */
function compress(words: DataView, input: Uint8Array): Uint8Array {
  const hash = new DataView(new ArrayBuffer(BLOCK_BYTES));
  for (let row = 0; row < ROWS; row++) {
    let low = 0;
    let high = 0;
    for (let column = 0; column < COLUMNS; column++) {
      if ((((input[column >> 3] ?? 0) >> (column & 7)) & 1) === 0) continue;
      const place = (row * COLUMNS + column) * WORD_BYTES;
      low += words.getUint32(place, true);
      high += words.getUint32(place + 4, true);
    }
    hash.setUint32(row * WORD_BYTES, low % HALF, true);
    hash.setUint32(row * WORD_BYTES + 4, (high + Math.floor(low / HALF)) % HALF, true);
  }
  return new Uint8Array(hash.buffer);
}
