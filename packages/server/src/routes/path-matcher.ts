/** One position of a pattern: the characters it accepts, and whether it accepts any number of them, including none. */
interface Place {
  readonly takes: (character: string) => boolean;
  readonly repeats: boolean;
}

const notSlash = (character: string): boolean => character !== '/';
const anything = { takes: (): boolean => true, repeats: true };
const segment = [
  { takes: notSlash, repeats: false },
  { takes: notSlash, repeats: true },
];

/** A pattern for one segment, or a part of it. A name goes as far as in any router. */
export const PARAMETER = /\[[^\]/]+\]|:[:$\p{ID_Continue}]+/gu;
const PART = new RegExp(`${PARAMETER.source}|\\*|.`, 'gsu');

/**
 * Matches paths against a pattern in time linear in the path's length, by following all ways through the pattern at
 * once. A regular expression backtracks: a path made for that takes it minutes.
 */
export class PathMatcher {
  /** The text before the first wildcard. Most paths already differ here. */
  readonly #head: string;
  readonly #places: readonly Place[];
  /** Whether the pattern ends in `/*`, which also matches without the slash. */
  readonly #isOpen: boolean;

  /** @param path a pattern: `:name` and `[name]` match one segment, `*`, `*name` and `[...name]` match anything */
  constructor(path: string) {
    const unnamed = withoutNames(path);
    this.#isOpen = unnamed.endsWith('/*');
    const closed = this.#isOpen ? unnamed.slice(0, -2) : unnamed;
    const parts: readonly string[] = closed.match(PART) ?? [];
    const wildcard = parts.findIndex(isWildcard);
    const literal = wildcard === -1 ? parts : parts.slice(0, wildcard);
    this.#head = foldCase(literal.join(''));
    this.#places = parts.slice(literal.length).flatMap(placesOf);
  }

  /** Whether a path matches whose case is folded by `foldCase`: a table folds it once for all its routes. */
  matches(folded: string): boolean {
    if (!folded.startsWith(this.#head)) return false;
    let ways = this.#from([0]);
    for (const character of folded.slice(this.#head.length)) {
      if (this.#isOpen && character === '/' && ways.has(this.#places.length)) return true;
      ways = this.#from(this.#after(ways, character));
      if (ways.size === 0) return false;
    }
    return ways.has(this.#places.length);
  }

  #after(ways: Iterable<number>, character: string): number[] {
    const after: number[] = [];
    for (const way of ways) {
      const place = this.#places[way];
      if (place?.takes(character)) after.push(place.repeats ? way : way + 1);
    }
    return after;
  }

  /** All positions reachable from these without a character: positions that repeat can be skipped. */
  #from(starts: readonly number[]): Set<number> {
    const ways = new Set<number>();
    for (const start of starts) {
      for (let way = start; !ways.has(way); way++) {
        ways.add(way);
        if (!this.#places[way]?.repeats) break;
      }
    }
    return ways;
  }
}

/** A pattern whose wildcards of any length are all `*`: `*name`, and Next's `[...name]` and `[[...name]]`. */
export function withoutNames(path: string): string {
  return path
    .replace(/^\*$/, '/*')
    .replaceAll(/\[{1,2}\.{3}[^\]/]+\]{1,2}|\*[$\p{ID_Continue}]+/gu, '*')
    .replace(/(.)\/+$/, '$1');
}

function placesOf(part: string): readonly Place[] {
  if (isWildcard(part)) return part === '*' ? [anything] : segment;
  const folded = foldCase(part);
  return [{ takes: (character) => character === folded, repeats: false }];
}

function isWildcard(part: string): boolean {
  return part === '*' || (part.length > 1 && /^[[:]/.test(part));
}

/** Folds case as a regular expression with the flags `iu` does; in addition, `ı` becomes `i`. */
export function foldCase(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => onlyOne(onlyOne(character, 'toUpperCase'), 'toLowerCase')).join('');
}

function onlyOne(character: string, change: 'toUpperCase' | 'toLowerCase'): string {
  const changed = character[change]();
  return Array.from(changed).length === 1 ? changed : character;
}
