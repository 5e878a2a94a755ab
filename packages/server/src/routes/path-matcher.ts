/** One place of a pattern: which character it takes, and whether it may be skipped or take more of them. */
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

const PART = /\[[^\]/]+\]|:[a-z_][a-z0-9_]*|\*|./gisu;

/**
 * Matches paths against one pattern, in time linear in the path's length: it follows all ways through the pattern at
 * once. A regular expression tries one after the other, which takes minutes for a path that is made for it.
 */
export class PathMatcher {
  /** What stands before the first wildcard: most paths differ from it. */
  readonly #head: string;
  readonly #places: readonly Place[];
  /** Whether the pattern ends in `/*`: what stands before it matches alone, too. */
  readonly #isOpen: boolean;

  /** @param path `:name` and `[name]` are one segment, `*` and `*name` anything; see `parseRoutePattern` */
  constructor(path: string) {
    const unnamed = path
      .replace(/^\*$/, '/*')
      .replace(/\/\*[a-z_][a-z0-9_]*/gi, '/*')
      .replace(/(.)\/+$/, '$1');
    this.#isOpen = unnamed.endsWith('/*');
    const closed = this.#isOpen ? unnamed.slice(0, -2) : unnamed;
    const parts: readonly string[] = closed.match(PART) ?? [];
    const wildcard = parts.findIndex(isWildcard);
    const literal = wildcard === -1 ? parts : parts.slice(0, wildcard);
    this.#head = foldCase(literal.join(''));
    this.#places = parts.slice(literal.length).flatMap(placesOf);
  }

  /** Whether a path matches, in any case. */
  matches(path: string): boolean {
    const folded = foldCase(path);
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

  /** The places where a way may go on: places that repeat may be skipped. */
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

function placesOf(part: string): readonly Place[] {
  if (isWildcard(part)) return part === '*' ? [anything] : segment;
  const folded = foldCase(part);
  return [{ takes: (character) => character === folded, repeats: false }];
}

function isWildcard(part: string): boolean {
  return part === '*' || (part.length > 1 && /^[[:]/.test(part));
}

/** Characters that differ in case only become one, as in a regular expression with the flags `iu` (and `ı` becomes `i`). */
export function foldCase(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => onlyOne(onlyOne(character, 'toUpperCase'), 'toLowerCase')).join('');
}

function onlyOne(character: string, change: 'toUpperCase' | 'toLowerCase'): string {
  const changed = character[change]();
  return Array.from(changed).length === 1 ? changed : character;
}
