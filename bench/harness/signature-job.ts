import { driveLoad, type LoadResult } from './load.ts';

/** Work for a process that signs or verifies. */
export interface SignatureJob {
  readonly task: 'sign' | 'verify';
  readonly operations: number;
}

/** One way to sign and verify; the account's key is made once, as every program does. */
export interface SignatureScheme {
  /** The signature of a message of this number. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
  verify(message: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>;
}

/** As long as a signed transfer. */
const MESSAGE_BYTES = 220;

/** Signs, or verifies, a different message each time. */
export async function doSignatures(scheme: SignatureScheme, { task, operations }: SignatureJob): Promise<LoadResult> {
  const messages = Array.from({ length: operations }, (_, index) => messageOf(index));
  const signatures: Uint8Array[] = [];
  if (task === 'verify') for (const message of messages) signatures.push(await scheme.sign(message));
  return driveLoad({
    workers: 1,
    operations,
    operate: async ({ index }) => {
      const message = messages[index] ?? new Uint8Array();
      const isGood =
        task === 'sign'
          ? (await scheme.sign(message)).length >= 64
          : await scheme.verify(message, signatures[index] ?? new Uint8Array());
      if (!isGood) throw new Error('a genuine signature was refused');
    },
  });
}

function messageOf(index: number): Uint8Array {
  const message = new Uint8Array(MESSAGE_BYTES).fill(7);
  new DataView(message.buffer).setUint32(0, index);
  return message;
}
