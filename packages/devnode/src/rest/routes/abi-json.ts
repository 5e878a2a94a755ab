import { AbiProblem, byteTextOf, decodeBase64, isBytes, jsonProblem, PADDED_BASE64 } from '@avm402/teal/go';
import { goQuote } from '../go-text.ts';

const MAX_BYTE = 255;
/** No type holds numbers of more digits. */
const MAX_EXPONENT = 1000;

/** How Go writes integers of any base; `_` groups digits. */
const INTEGERS = [
  { form: /^0x((?:_?[\da-f])+)$/i, prefix: '0x' },
  { form: /^0b((?:_?[01])+)$/i, prefix: '0b' },
  { form: /^0o?((?:_?[0-7])+)$/i, prefix: '0o' },
  { form: /^(0|[1-9](?:_?\d)*)$/, prefix: '' },
] as const;

/** An integer of Go's big package. `null` is 0. */
export function readInteger(json: string): bigint {
  if (json === 'null') return 0n;
  const digits = json.replace(/^[+-]/, '');
  for (const { form, prefix } of INTEGERS) {
    const [, found] = form.exec(digits) ?? [];
    if (found === undefined) continue;
    const value = BigInt(prefix + found.replaceAll('_', ''));
    return json.startsWith('-') ? -value : value;
  }
  const problem = `math/big: cannot unmarshal ${goQuote(json)} into a *big.Int`;
  throw new AbiProblem(`cannot cast JSON encoded (${json}) to uint: ${problem}`);
}

/** A decimal number as an integer, times ten to the power of the precision. */
export function readFixed(json: string, precision: number): bigint {
  const [, sign, whole = '', part = '', power = '0'] = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(json) ?? [];
  const exponent = Number(power) - part.length + precision;
  if (sign === undefined || whole + part === '' || Math.abs(Number(power)) > MAX_EXPONENT) {
    const problem = `math/big: cannot unmarshal ${goQuote(json)} into a *big.Rat`;
    throw new AbiProblem(`cannot cast JSON encoded (${json}) to ufixed: ${problem}`);
  }
  const digits = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  if (digits % divisor === 0n) return digits / divisor;
  throw new AbiProblem(`cannot cast JSON encoded (${json}) to ufixed: precision out of range`);
}

export function readBoolean(json: string): boolean {
  const value = within(`cannot cast JSON encoded (${json}) to bool`, () => unmarshal(json, 'bool', 'bool'));
  return value === true;
}

export function readByte(json: string): number {
  return within('cannot cast JSON encoded to byte', () => byte(json));
}

/** The text of an address, unread. */
export function readAddressText(json: string): string {
  const value = within('cannot cast JSON encoded to address string', () => unmarshal(json, 'string', 'string'));
  return typeof value === 'string' ? value : '';
}

/** The bytes of a text in quotes, or of a list of bytes. */
export function readText(json: string): Uint8Array {
  const what = `cannot cast JSON encoded (${json}) to string`;
  if (json.startsWith('"')) return Buffer.from(String(within(what, () => unmarshal(json, 'string', 'string'))));
  if (!json.startsWith('[')) throw new AbiProblem(what);
  return Uint8Array.from(within(what, () => items(json, '[]uint8').map(byte)));
}

/** The bytes of base64 in quotes. */
export function readBase64(json: string): Uint8Array {
  return within(`cannot cast JSON encoded (${json}) to bytes`, () => {
    const decoded = decodeBase64(Buffer.from(String(unmarshal(json, 'string', '[]uint8'))), PADDED_BASE64);
    if (isBytes(decoded)) return Uint8Array.from(decoded);
    throw new AbiProblem(`illegal base64 data at input byte ${decoded.corruptAt}`);
  });
}

/** The items of a list, each as it is written. */
export function readItems(json: string, wanted: 'array' | 'array for tuple'): readonly string[] {
  return within(`cannot cast JSON encoded (${json}) to ${wanted}`, () => items(json, '[]json.RawMessage'));
}

function within<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AbiProblem) throw new AbiProblem(`${what}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A value of the kind that Go's type takes, or null, which Go takes for all. */
function unmarshal(json: string, wanted: string, goType: string): unknown {
  const value = parsed(json);
  const kind = kindOf(value);
  if (value === null || kind === wanted) return value;
  throw new AbiProblem(`json: cannot unmarshal ${kind} into Go value of type ${goType}`);
}

function parsed(json: string): unknown {
  const problem = jsonProblem(byteTextOf(json));
  if (problem !== undefined) throw new AbiProblem(problem);
  return JSON.parse(json);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function byte(json: string): number {
  const value = Number(unmarshal(json, 'number', 'uint8') ?? 0);
  const written = json.trim();
  if (value <= MAX_BYTE && /^(?:\d+|null)$/.test(written)) return value;
  throw new AbiProblem(`json: cannot unmarshal number ${written} into Go value of type uint8`);
}

function items(json: string, goType: string): string[] {
  if (unmarshal(json, 'array', goType) === null) return [];
  const list = json.trim().slice(1, -1);
  const found: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: token, index } of list.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (token === '[' || token === '{') depth++;
    if (token === ']' || token === '}') depth--;
    if (token !== ',' || depth > 0) continue;
    found.push(list.slice(start, index).trim());
    start = index + 1;
  }
  const last = list.slice(start).trim();
  return last === '' ? [] : [...found, last];
}
