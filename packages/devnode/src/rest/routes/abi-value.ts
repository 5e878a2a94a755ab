import { type AbiList, AbiProblem, type AbiType, byteTextOf, exactText, parseAbiType } from '@avm402/teal/go';
import { DevnodeError, refused } from '../../errors.ts';
import {
  readAddressText,
  readBase64,
  readBoolean,
  readByte,
  readFixed,
  readInteger,
  readItems,
  readText,
} from './abi-json.ts';
import { addressOfText } from './address-of-text.ts';

/**
 * The bytes of `type:value`, the value in JSON.
 * @throws DevnodeError `refused` with algod's text
 */
export function abiBytes(text: string): Uint8Array {
  const at = text.indexOf(':');
  if (at === -1) {
    const problem = 'should split abi-type and abi-value with colon';
    throw refused(`Could not decode abi string (${text}): ${problem}`);
  }
  const [name, json] = [text.slice(0, at), text.slice(at + 1)];
  const type = orRefused(
    // Differs from algod: shallow-types
    () => parseAbiType(byteTextOf(name)),
    (problem) => `Could not decode abi type string (${name}): ${exactText(problem)}`,
  );
  return orRefused(
    () => encoded(type, json),
    (problem) => `Could not decode abi value string (${json}):${problem} `,
  );
}

function orRefused<T>(read: () => T, refusal: (problem: string) => string): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof AbiProblem) throw new DevnodeError('refused', refusal(cause.message), { cause });
    throw cause;
  }
}

function encoded(type: AbiType, json: string): Uint8Array {
  if (type.kind === 'uint') return integer(readInteger(json), type.bits);
  if (type.kind === 'ufixed') return integer(readFixed(json, type.precision), type.bits);
  if (type.kind === 'bool') return Uint8Array.of(readBoolean(json) ? 0x80 : 0);
  if (type.kind === 'byte') return Uint8Array.of(readByte(json));
  if (type.kind === 'address') return address(readAddressText(json));
  if (type.kind === 'list') return list(type, json);
  if (type.kind === 'tuple') return tuple(type.items, json);
  const text = readText(json);
  return counted(text, text.length);
}

function integer(value: bigint, bits: number): Uint8Array {
  const digits = (value < 0n ? -value : value).toString(16);
  if ((value < 0n ? -value : value) >= 1n << BigInt(bits)) {
    throw new AbiProblem(`cast big int to nearest primitive failure: ${value} >= 2^${bits}`);
  }
  if (value < 0n) throw new AbiProblem(`cannot cast big int to near primitive: ${value} < 0`);
  return Buffer.from(digits.padStart(bits / 4, '0'), 'hex');
}

function address(text: string): Uint8Array {
  const found = addressOfText(text);
  if (typeof found === 'string') throw new AbiProblem(found);
  return found;
}

function list(type: AbiList, json: string): Uint8Array {
  const { length } = type;
  if (type.item.kind === 'byte' && json.startsWith('"')) {
    const bytes = readBase64(json);
    if (length === undefined) return counted(bytes, bytes.length);
    if (bytes.length === length) return bytes;
    throw new AbiProblem(`length of slice ${bytes.length} != type specific length ${length}`);
  }
  const items = readItems(json, 'array');
  if (length !== undefined && items.length !== length) {
    throw new AbiProblem('JSON array element number != ABI array elem number');
  }
  const types = items.map(() => type.item);
  const body = joined(
    types,
    items.map((item) => encoded(type.item, item)),
  );
  return length === undefined ? counted(body, items.length) : body;
}

function tuple(types: readonly AbiType[], json: string): Uint8Array {
  const items = readItems(json, 'array for tuple');
  if (items.length !== types.length) throw new AbiProblem('JSON array element number != ABI tuple elem number');
  return joined(
    types,
    types.map((type, index) => encoded(type, items[index] ?? '')),
  );
}

/** Static items stand in place, others behind all of them; successive booleans share bytes. */
function joined(types: readonly AbiType[], items: readonly Uint8Array[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: { readonly head: Uint8Array; readonly tail: Uint8Array }[] = [];
  let bit = 0;
  for (const [index, type] of types.entries()) {
    const item = items[index] ?? new Uint8Array();
    if (type.kind === 'bool') {
      if (bit === 0) heads.push(new Uint8Array(1));
      const shared = heads.at(-1);
      if (shared !== undefined) shared[0] = (shared[0] ?? 0) | ((item[0] ?? 0) >> bit);
      bit = (bit + 1) % 8;
      continue;
    }
    bit = 0;
    if (isDynamic(type)) {
      const head = new Uint8Array(2);
      heads.push(head);
      tails.push({ head, tail: item });
    } else heads.push(item);
  }
  let end = heads.reduce((sum, { length }) => sum + length, 0);
  for (const { head, tail } of tails) {
    head.set([end >> 8, end & 0xff]);
    end += tail.length;
  }
  return Buffer.concat([...heads, ...tails.map(({ tail }) => tail)]);
}

function isDynamic(type: AbiType): boolean {
  if (type.kind === 'string') return true;
  if (type.kind === 'list') return type.length === undefined || isDynamic(type.item);
  return type.kind === 'tuple' && type.items.some(isDynamic);
}

function counted(body: Uint8Array, count: number): Uint8Array {
  return Buffer.concat([Uint8Array.of(count >> 8, count & 0xff), body]);
}
