import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { DevnodeError } from '../../src/errors.ts';

/** What came of decoding a group: its canonical bytes, or algod's words. Anything else is a crash, which is thrown. */
export function decodeOutcome(bytes: Uint8Array): string {
  try {
    const group = decodeGroup(bytes, { maxSize: 16, cut: false });
    return group.map((signed) => Buffer.from(encode(signedTransaction, signed)).toString('hex')).join();
  } catch (error) {
    if (error instanceof DevnodeError && error.status === 400) return error.message;
    throw error;
  }
}
