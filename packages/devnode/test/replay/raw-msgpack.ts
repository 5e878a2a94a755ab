import { msgpackRawDecodeAsMap, msgpackRawEncode } from 'algosdk';

/** Decodes msgpack with the official SDK, which shares no code with the node under test. Maps keep integer keys. */
export function decodeRaw(bytes: Uint8Array): unknown {
  return msgpackRawDecodeAsMap(bytes);
}

/** Canonical msgpack of what `decodeRaw` gives. */
export function encodeRaw(value: unknown): Buffer {
  return Buffer.from(msgpackRawEncode(value));
}
