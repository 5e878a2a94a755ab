import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routeTemplate } from '../src/offers/route-template.ts';

/** The values that a regular expression finds: it backtracks, so for short paths only. */
function valuesByRegExp(template: string, path: string): Record<string, string> {
  const names = [...template.matchAll(/:([a-z]+)/g)].map(([, name]) => name ?? '');
  const source = template.replaceAll('.', String.raw`\.`).replaceAll(/:[a-z]+/g, '([^/]+)');
  const values = new RegExp(`^${source}/?$`, 'i').exec(path)?.slice(1) ?? [];
  return Object.fromEntries(values.map((value, index) => [names[index] ?? '', value]));
}

describe('the parameters of a path', () => {
  it('are what the template means', () => {
    const piece = fc.constantFrom(':a', ':b', ':c', 'x', '-', '.', '/');
    const template = fc.array(piece, { maxLength: 8 }).map((pieces) => `/:first${pieces.join('')}`.replace(/\/+$/, ''));
    const path = fc.array(fc.constantFrom('x', 'X', '-', '.', '/', 'y'), { maxLength: 12 });
    fc.assert(
      fc.property(template, path, (route, parts) => {
        const asked = `/${parts.join('')}`;
        expect(routeTemplate({ path: route }, asked)?.pathParams).toEqual(valuesByRegExp(route, asked));
      }),
      { numRuns: 20_000 },
    );
  });

  it('are found in no noticeable time in a path that is made to match in many ways', () => {
    const start = performance.now();
    const template = routeTemplate({ path: '/:a-:b-:c-:d-:e.json/x*' }, `/${'-'.repeat(500)}`);
    expect(template?.pathParams).toEqual({});
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
