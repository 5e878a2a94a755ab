import type { ByteText } from '../go/byte-text.ts';

/** Where something stands: line from 1, column from 0, in bytes. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A word of the source. One that a macro stood for has the place in the macro's definition. */
export interface Token extends Place {
  readonly text: ByteText;
}

/** The place right behind a token. */
export function endOf({ line, column, text }: Token): Place {
  return { line, column: column + text.length };
}

const SEPARATORS = ' \t;';

/** The words of one line, without its comment; a `;` is a word of its own. */
export function tokensOf(text: ByteText, line: number): readonly Token[] {
  const tokens: Token[] = [];
  // After `base64` a `//` is data.
  let isBase64 = false;
  for (let column = 0; column < text.length;) {
    const character = text.charAt(column);
    if (character === ' ' || character === '\t') {
      column++;
      continue;
    }
    if (!isBase64 && text.startsWith('//', column)) break;
    const end = character === ';' ? column + 1 : endOfWord(text, column, isBase64);
    const word = text.slice(column, end);
    tokens.push({ text: word, line, column });
    if (word !== ';') isBase64 = word === 'base64' || word === 'b64';
    column = end;
  }
  return tokens;
}

function endOfWord(text: ByteText, start: number, isBase64: boolean): number {
  let holdsSlashes = isBase64;
  let end = text.charAt(start) === '"' ? endOfString(text, start) : start;
  for (; end < text.length; end++) {
    const character = text.charAt(end);
    if (SEPARATORS.includes(character)) return end;
    if (character === '(' && isBase64Prefix(text, start, end)) holdsSlashes = true;
    else if (character === ')') holdsSlashes = false;
    else if (!holdsSlashes && text.startsWith('//', end)) return end;
  }
  return end;
}

function isBase64Prefix(text: ByteText, start: number, end: number): boolean {
  const length = end - start;
  return (length === 3 && text.startsWith('b64', start)) || (length === 6 && text.startsWith('base64', start));
}

/** Behind the closing quote: the next one without a `\` right before it. Without one, the end of the line. */
function endOfString(text: ByteText, start: number): number {
  let close = text.indexOf('"', start + 1);
  while (close > 0 && text.charAt(close - 1) === '\\') close = text.indexOf('"', close + 1);
  return close < 0 ? text.length : close + 1;
}
