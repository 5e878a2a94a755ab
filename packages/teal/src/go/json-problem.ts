import { byteTextOf, type ByteText, exactText } from './byte-text.ts';
import { goQuote } from './quote.ts';

/** The container of a value: a list, or an object before or after a colon. */
type Open = 'list' | 'key' | 'member';

/** Reads the next byte: the state after it, or the place where the byte is wrong. */
type State = (byte: string, open: Open[]) => State | string;

const SPACE = /[ \t\r\n]/;
/** As in Go, a space follows the text, because a number may end there. */
const END = ' ';
const DIGIT = /\d/;
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** The reason why Go's encoding/json can't read a text, in its words; undefined if it can. */
export function jsonProblem(text: ByteText): string | undefined {
  const open: Open[] = [];
  let state: State = value;
  for (const byte of text + END) {
    const next = state(byte, open);
    if (typeof next === 'string') return `invalid character ${quoted(byte)} ${next}`;
    state = next;
  }
  return state === end && open.length === 0 ? undefined : 'unexpected end of JSON input';
}

function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`;
  return character === '"' ? `'"'` : `'${exactText(goQuote(byteTextOf(character))).slice(1, -1)}'`;
}

const value: State = (byte, open) => {
  if (SPACE.test(byte)) return value;
  if (byte === '{') {
    open.push('key');
    return firstKey;
  }
  if (byte === '[') {
    open.push('list');
    return firstItem;
  }
  if (byte === '"') return inString;
  const word = LITERALS[byte];
  if (word !== undefined) return literal(word, 1);
  return number(byte) ?? 'looking for beginning of value';
};

const firstItem: State = (byte, open) =>
  byte === ']' ? end(byte, open) : SPACE.test(byte) ? firstItem : value(byte, open);

const firstKey: State = (byte, open) => {
  if (SPACE.test(byte)) return firstKey;
  if (byte !== '}') return key(byte, open);
  open.splice(-1, 1, 'member');
  return end(byte, open);
};

const key: State = (byte) =>
  SPACE.test(byte) ? key : byte === '"' ? inString : 'looking for beginning of object key string';

/** After a value, or after a key. */
const end: State = (byte, open) => {
  if (SPACE.test(byte)) return end;
  const around = open.pop();
  if (around === undefined) return 'after top-level value';
  if (byte === (around === 'list' ? ']' : '}') && around !== 'key') return end;
  const [separator, next, then, wrong] = AFTER[around];
  if (byte !== separator) return wrong;
  open.push(then);
  return next;
};

const inString: State = (byte) => {
  if (byte === '"') return end;
  if (byte === '\\') return escape;
  return byte < ' ' ? 'in string literal' : inString;
};

const escape: State = (byte) =>
  byte === 'u' ? hexadecimal(4) : /[bfnrt\\/"]/.test(byte) ? inString : 'in string escape code';

const hexadecimal =
  (left: number): State =>
  (byte) => {
    if (!/[\da-f]/i.test(byte)) return String.raw`in \u hexadecimal character escape`;
    return left === 1 ? inString : hexadecimal(left - 1);
  };

const literal =
  (word: string, place: number): State =>
  (byte) => {
    if (byte !== word[place]) return `in literal ${word} (expecting '${word[place]}')`;
    return place === word.length - 1 ? end : literal(word, place + 1);
  };

/** The state after the first character of a number; undefined if the character does not begin one. */
function number(byte: string): State | undefined {
  if (byte === '-') return (next) => (next === '-' ? undefined : number(next)) ?? 'in numeric literal';
  if (byte === '0') return afterWhole;
  return DIGIT.test(byte) ? whole : undefined;
}

const whole: State = (byte, open) => (DIGIT.test(byte) ? whole : afterWhole(byte, open));
const afterWhole: State = (byte, open) => (byte === '.' ? point : afterFraction(byte, open));
const point: State = (byte) => (DIGIT.test(byte) ? fraction : 'after decimal point in numeric literal');
const fraction: State = (byte, open) => (DIGIT.test(byte) ? fraction : afterFraction(byte, open));
const afterFraction: State = (byte, open) => (byte === 'e' || byte === 'E' ? exponent : end(byte, open));
const exponent: State = (byte, open) => (byte === '+' || byte === '-' ? power : power(byte, open));
const power: State = (byte) => (DIGIT.test(byte) ? powerDigits : 'in exponent of numeric literal');
const powerDigits: State = (byte, open) => (DIGIT.test(byte) ? powerDigits : end(byte, open));

/** The separator before the next value or key, the state after it, and the place that an error names. */
const AFTER: Readonly<Record<Open, readonly [string, State, Open, string]>> = {
  list: [',', value, 'list', 'after array element'],
  key: [':', value, 'member', 'after object key'],
  member: [',', key, 'key', 'after object key:value pair'],
};
