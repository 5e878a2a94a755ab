import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../src/routes/path-matcher.ts';
import { parseRoutePattern } from '../src/routes/route-pattern.ts';

/** What a pattern means, as a regular expression: a matcher that backtracks, so for short paths only. */
function meaning(path: string): RegExp {
  const source = (path === '*' ? '/*' : path)
    .replaceAll(/\*[$\p{ID_Continue}]+|\[{1,2}\.{3}[a-z]+\]{1,2}/gu, '*')
    .replace(/\/+$/, '')
    .replace(/\/\*$/, '\u0000')
    .replaceAll(/\[[^\]/]+\]|:[:$\p{ID_Continue}]+/gu, '\u0001')
    .replaceAll(/[\\^$.|[\]-]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`)
    .replaceAll('*', '.*')
    .replaceAll('\u0001', '[^/]+')
    .replace('\u0000', '(?:/.*)?');
  return new RegExp(`^${source === '' ? '/' : source}$`, 'isu');
}

const piece = fc.constantFrom(
  'a',
  'B',
  '-',
  '.',
  '/',
  '*',
  ':id',
  '[id]',
  '*rest',
  '[...rest]',
  '[[...rest]]',
  '/*',
  '\u00e9',
  'k',
  ':',
  '\u{1f511}',
  '$',
);
const pattern = fc.oneof(
  fc.constant('*'),
  fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
);
const part = fc.constantFrom('a', 'A', 'b', '-', '.', '/', '\n', '\u00c9', '\u212a', '\u{1f511}', '$', ':', '*');
const path = fc.array(part, { maxLength: 10 }).map((parts) => `/${parts.join('')}`);

describe('a route pattern', () => {
  it('matches what it means, whatever pattern and path', () => {
    fc.assert(
      fc.property(pattern, path, (route, asked) => {
        expect(parseRoutePattern(route).matches(foldCase(asked))).toBe(meaning(route).test(asked));
      }),
      { numRuns: 20_000 },
    );
  });

  it('takes a path whose case is folded already, so that a long one costs a table of routes no more than one route', () => {
    expect(['/a', '/A'].map((asked) => parseRoutePattern('GET /A').matches(asked))).toEqual([true, false]);
  });

  it('matches a path made of it', () => {
    const filled = fc.tuple(pattern, fc.array(fc.constantFrom('x', 'y-z', '\u00df'), { minLength: 9, maxLength: 9 }));
    fc.assert(
      fc.property(filled, ([route, values]) => {
        let next = 0;
        const asked = route
          .replaceAll(/\*[a-z]*|\[+[a-z.]+\]+|:id/g, () => values[next++] ?? 'x')
          .replace(/^(?!\/)/, '/');
        const bare = asked.length > 1 ? asked.replace(/\/+$/, '') || '/' : asked;
        expect([route, bare, parseRoutePattern(route).matches(foldCase(bare))]).toEqual([
          route,
          bare,
          meaning(route).test(bare),
        ]);
      }),
      { numRuns: 5_000 },
    );
  });
});
