import {
  bazaarResourceServerExtension,
  declareDiscoveryExtension,
  validateDiscoveryExtension,
} from '@x402/extensions/bazaar';
import { describe, expect, it } from 'vitest';
import { completeDiscovery, declareDiscovery } from '../src/discovery.ts';
import { isX402Error } from '../src/errors.ts';

const output = { example: { report: { weather: 'sunny', temperature: 21 } } };
const inputSchema = { properties: { city: { type: 'string' } } };
const city = { city: 'Zürich' };

/** What the stock middleware makes of a declaration at request time. */
function stockCompleted(declared: unknown, method: string, routePattern: string): unknown {
  const context = { method, routePattern, adapter: { getPath: () => '/weather/zurich' } };
  return bazaarResourceServerExtension.enrichDeclaration?.(declared, context);
}

describe('a discovery declaration', () => {
  it('has upstream’s wire form', () => {
    expect(declareDiscovery({ output })).toEqual(declareDiscoveryExtension({ output }));
    expect(declareDiscovery({ method: 'GET', input: city, inputSchema, output })).toEqual(
      declareDiscoveryExtension({ method: 'GET', input: city, inputSchema, output } as never),
    );
    expect(declareDiscovery({ bodyType: 'json', input: city, inputSchema, output })).toEqual(
      declareDiscoveryExtension({ bodyType: 'json', input: city, inputSchema, output } as never),
    );
  });

  it('is completed with the request’s method as upstream does it, and is then valid', () => {
    const { bazaar } = declareDiscovery({ output });
    const completed = completeDiscovery(bazaar, { method: 'GET' });
    expect(completed).toEqual(stockCompleted(declareDiscoveryExtension({ output })['bazaar'], 'GET', '/weather'));
    expect(completed).toMatchObject({
      info: { input: { type: 'http', method: 'GET' }, output: { example: output.example } },
    });
    expect(validateDiscoveryExtension(completed as never)).toMatchObject({ valid: true });
  });

  it('is completed with template and parameters of a route that has them', () => {
    const { bazaar } = declareDiscovery({ output });
    const completed = completeDiscovery(bazaar, {
      method: 'GET',
      routeTemplate: '/weather/:city',
      pathParams: { city: 'zurich' },
    });
    expect(completed).toEqual(stockCompleted(declareDiscoveryExtension({ output })['bazaar'], 'GET', '/weather/:city'));
  });

  it('of a tool, or of nothing known, is left as it is', () => {
    const tool = { info: { input: { type: 'mcp', toolName: 'weather' } }, schema: {} };
    for (const declared of [tool, 'text', undefined, null, []]) {
      expect(completeDiscovery(declared, { method: 'GET' })).toBe(declared);
    }
  });

  it('that contradicts itself is refused', () => {
    for (const declaration of [{ method: 'POST' }, { method: 'GET', bodyType: 'json' }] as const) {
      let caught: unknown;
      try {
        declareDiscovery(declaration);
      } catch (error) {
        caught = error;
      }
      expect(isX402Error(caught, 'invalid_discovery')).toBe(true);
    }
  });
});
