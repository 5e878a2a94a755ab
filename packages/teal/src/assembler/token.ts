import type { ByteText } from '../go/byte-text.ts';

/** A position in the source: line from 1, column from 0 in bytes. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A word of the source. A word that comes from a macro has its position in the macro's definition. */
export interface Token extends Place {
  readonly text: ByteText;
}

/** The position directly after a token. */
export function endOf({ line, column, text }: Token): Place {
  return { line, column: column + text.length };
}

const SEPARATORS = ' \t;';

/** The words of one line without its comment; `;` is a separate word. */
export function tokensOf(text: ByteText, line: number): readonly Token[] {
  const tokens: Token[] = [];
  // After `base64`, `//` is data.
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

/**
 * The position after the closing quote, which is the next quote not directly preceded by `\`; without one, the end of
 * the line.
 */
function endOfString(text: ByteText, start: number): number {
  let close = text.indexOf('"', start + 1);
  while (close > 0 && text.charAt(close - 1) === '\\') close = text.indexOf('"', close + 1);
  return close < 0 ? text.length : close + 1;
}
