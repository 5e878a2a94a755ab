import { refused } from '../../errors.ts';
import { GoError, goParseUint } from '../go-text.ts';
import { abiBytes } from './abi-value.ts';
import { addressOfText } from './address-of-text.ts';
import { decodeBase32, decodeBase64, type Decoded, isBytes, PADDED_BASE64 } from '@avm402/teal/go';

type Decode = (value: string) => Uint8Array;

/** How the bytes of a name are written, by the encoding that stands before the first colon. */
const DECODERS: Readonly<Record<string, Decode>> = {
  str: (value) => Buffer.from(value),
  string: (value) => Buffer.from(value),
  int: integerBytes,
  integer: integerBytes,
  addr: addressBytes,
  address: addressBytes,
  b32: base32Bytes,
  base32: base32Bytes,
  'byte base32': base32Bytes,
  b64: base64Bytes,
  base64: base64Bytes,
  'byte base64': base64Bytes,
  abi: abiBytes,
};

/**
 * Reads a box name as `encoding:value`, into a text of one character per byte.
 * @throws DevnodeError `refused` with algod's text
 */
export function parseBoxName(text: string): string {
  const at = text.indexOf(':');
  if (at === -1) throw refused("all arguments and box names should be of the form 'encoding:value'");
  const encoding = text.slice(0, at);
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decode === undefined) throw refused(`Unknown encoding: ${encoding}`);
  return Buffer.from(decode(text.slice(at + 1))).toString('latin1');
}

function integerBytes(value: string): Uint8Array {
  const parsed = goParseUint(value);
  if (parsed instanceof GoError) throw refused(`Could not parse uint64 from string (${value}): ${parsed.text}`);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(parsed);
  return bytes;
}

function addressBytes(value: string): Uint8Array {
  const address = addressOfText(value);
  if (typeof address !== 'string') return address;
  throw refused(`Could not unmarshal checksummed address from string (${value}): ${address}`);
}

function base32Bytes(value: string): Uint8Array {
  return decoded('base32', value, decodeBase32(value));
}

function base64Bytes(value: string): Uint8Array {
  return decoded('base64', value, decodeBase64(Buffer.from(value), PADDED_BASE64));
}

function decoded(encoding: string, value: string, result: Decoded): Uint8Array {
  if (isBytes(result)) return Uint8Array.from(result);
  const problem = `illegal ${encoding} data at input byte ${result.corruptAt}`;
  throw refused(`Could not decode ${encoding}-encoded string (${value}): ${problem}`);
}
