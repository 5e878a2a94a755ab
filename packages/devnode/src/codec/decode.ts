import { DevnodeError, refused } from '../errors.ts';
import { JsonSource } from './json-source.ts';
import type { Kind } from './kind.ts';
import { MsgpackSource } from './msgpack-source.ts';
import { EndOfInput } from './source.ts';

/**
 * Reads a value from msgpack; bytes after it are ignored.
 * @throws DevnodeError `refused` for other bytes, EndOfInput for some of the bytes
 */
export function decodeMsgpack<T>(kind: Kind<T>, bytes: Uint8Array): T {
  return kind.read(new MsgpackSource(bytes), kind.zero);
}

/**
 * Reads a value from JSON in UTF-8; bytes after it are ignored.
 * @throws DevnodeError `refused` for other bytes, EndOfInput for some of the bytes
 */
export function decodeJson<T>(kind: Kind<T>, bytes: Uint8Array): T {
  return kind.read(new JsonSource(bytes), kind.zero);
}

/** Reads a value from a text of a user's; `refuse` makes the error of one that is wrong. */
export function decodeText<T>(kind: Kind<T>, text: string, refuse: (reason: string, cause: unknown) => Error): T {
  try {
    return decodeJson(kind, Buffer.from(text));
  } catch (cause) {
    throw refuse(cause instanceof Error && cause.message !== '' ? cause.message : 'the text ends too early', cause);
  }
}

/** Whether an error says that bytes are not the value that was to be read. */
export function isDecodeError(error: unknown): error is DevnodeError | EndOfInput {
  return error instanceof EndOfInput || (error instanceof DevnodeError && error.code === 'refused');
}

/** The value that `decode` reads. @throws DevnodeError `refused` with this message if the bytes are not one */
export function decodedOr<T>(message: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (isDecodeError(error)) throw refused(message);
    throw error;
  }
}
