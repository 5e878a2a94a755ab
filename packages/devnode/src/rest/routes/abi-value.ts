import { DevnodeError } from '../../errors.ts';
import { parseAddressText } from '@avm402/teal/go';

/** A type of ARC-4, as far as it has a text. */
type AbiType =
  | { readonly kind: 'uint'; readonly bits: number }
  | { readonly kind: 'bool' | 'address' | 'string' }
  | AbiList
  | { readonly kind: 'tuple'; readonly items: readonly AbiType[] };

interface AbiList {
  readonly kind: 'list';
  readonly item: AbiType;
  readonly length: number | undefined;
}

const UINT = /^uint([1-9]\d*)$/;
const UFIXED = /^ufixed([1-9]\d*)x([1-9]\d*)$/;
const LIST = /^(.+)\[([1-9]\d*)?\]$/;
const MAX_BITS = 512;
const BYTE: AbiType = { kind: 'uint', bits: 8 };

/**
 * The bytes of `type:value`, the value in JSON.
 * @throws DevnodeError `refused` with algod's text
 */
export function abiBytes(text: string): Uint8Array {
  const at = text.indexOf(':');
  if (at === -1)
    throw new DevnodeError('refused', `all arguments and box names should be of the form 'encoding:value'`);
  const [name, json] = [text.slice(0, at), text.slice(at + 1)];
  const type = typeOf(name);
  if (type === undefined) {
    const problem = `cannot convert the string "${name}" to an ABI type`;
    throw new DevnodeError('refused', `Could not decode abi type string (${name}): ${problem}`);
  }
  try {
    return encoded(type, parsed(json));
  } catch (cause) {
    // Differs from algod: abi-texts
    throw new DevnodeError('refused', `Could not decode abi value (${json}) as ${name}`, { cause });
  }
}

function typeOf(name: string): AbiType | undefined {
  if (name === 'bool' || name === 'address' || name === 'string') return { kind: name };
  if (name === 'byte') return BYTE;
  const list = LIST.exec(name);
  if (list !== null) return listOf(list[1] ?? '', list[2]);
  return name.startsWith('(') && name.endsWith(')') ? tupleOf(name.slice(1, -1)) : integerOf(name);
}

function listOf(name: string, length: string | undefined): AbiType | undefined {
  const item = typeOf(name);
  return item && { kind: 'list', item, length: length === undefined ? undefined : Number(length) };
}

function integerOf(name: string): AbiType | undefined {
  const bits = Number((UFIXED.exec(name) ?? UINT.exec(name))?.[1] ?? 0);
  return bits > 0 && bits % 8 === 0 && bits <= MAX_BITS ? { kind: 'uint', bits } : undefined;
}

function tupleOf(names: string): AbiType | undefined {
  const items = splitTuple(names).map(typeOf);
  return items.every((item) => item !== undefined) ? { kind: 'tuple', items } : undefined;
}

/** The parts between commas that are outside of all brackets. */
function splitTuple(names: string): string[] {
  if (names === '') return [];
  const parts = [''];
  let depth = 0;
  for (const character of names) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Integers become bigint, because some exceed 2^53. */
function parsed(json: string): unknown {
  const exact = json.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?![\d.])/g, (token) =>
    token.startsWith('"') ? token : `{"integer":"${token}"}`,
  );
  return JSON.parse(exact);
}

function encoded(type: AbiType, value: unknown): Uint8Array {
  if (type.kind === 'uint') return integer(value, type.bits / 8);
  if (type.kind === 'bool') return Uint8Array.of(boolean(value) ? 0x80 : 0);
  if (type.kind === 'address') return address(value);
  if (type.kind === 'tuple') return tuple(type.items, listed(value));
  if (type.kind === 'list') return encodedList(type, listed(value));
  return counted(Buffer.from(string(value)), Buffer.byteLength(string(value)));
}

function encodedList({ item, length }: AbiList, values: readonly unknown[]): Uint8Array {
  if (length !== undefined && values.length !== length) throw new Error('wrong number of items');
  const types = values.map(() => item);
  const body = tuple(types, values);
  return length === undefined ? counted(body, values.length) : body;
}

/** Static items stand in place, others behind all of them; successive booleans share bytes. */
function tuple(types: readonly AbiType[], values: readonly unknown[]): Uint8Array {
  if (types.length !== values.length) throw new Error('wrong number of items');
  const heads: Uint8Array[] = [];
  const tails: { readonly head: Uint8Array; readonly tail: Uint8Array }[] = [];
  for (let index = 0; index < types.length; index++) {
    const type = types[index] ?? BYTE;
    if (type.kind === 'bool') {
      const run = booleanRun(types, values, index);
      heads.push(packed(run));
      index += run.length - 1;
    } else if (isDynamic(type)) {
      const head = new Uint8Array(2);
      heads.push(head);
      tails.push({ head, tail: encoded(type, values[index]) });
    } else heads.push(encoded(type, values[index]));
  }
  let end = heads.reduce((sum, { length }) => sum + length, 0);
  for (const { head, tail } of tails) {
    head.set([end >> 8, end & 0xff]);
    end += tail.length;
  }
  return Buffer.concat([...heads, ...tails.map(({ tail }) => tail)]);
}

function booleanRun(types: readonly AbiType[], values: readonly unknown[], start: number): boolean[] {
  const rest = types.slice(start);
  const end = rest.findIndex(({ kind }) => kind !== 'bool');
  return values.slice(start, end === -1 ? undefined : start + end).map(boolean);
}

function packed(run: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(run.length / 8));
  for (const [index, set] of run.entries())
    if (set) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return bytes;
}

function isDynamic(type: AbiType): boolean {
  if (type.kind === 'string') return true;
  if (type.kind === 'list') return type.length === undefined || isDynamic(type.item);
  return type.kind === 'tuple' && type.items.some(isDynamic);
}

function counted(body: Uint8Array, count: number): Uint8Array {
  return Buffer.concat([Uint8Array.of(count >> 8, count & 0xff), body]);
}

function integer(value: unknown, length: number): Uint8Array {
  const digits = typeof value === 'object' && value !== null && 'integer' in value ? String(value.integer) : 'none';
  const bytes = Buffer.from(
    BigInt(digits)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  );
  if (digits.startsWith('-') || bytes.length > length) throw new Error('out of range');
  return bytes;
}

function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('not a boolean');
  return value;
}

function string(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a text');
  return value;
}

function address(value: unknown): Uint8Array {
  const found = parseAddressText(string(value));
  if (typeof found === 'string') throw new Error(found);
  return found;
}

function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value;
}
