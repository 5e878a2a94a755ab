import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { route } from '../support/shop.ts';

describe('a body of the seller’s own as text', () => {
  it('is put in quotes by stock; ours sends it as it is', async () => {
    const { ours, stock } = await openBoth({
      routes: {
        'GET /report': { ...route, unpaidResponseBody: () => ({ contentType: 'text/plain', body: 'Please pay.' }) },
      },
    });
    const textAt = async (url: string): Promise<string> => (await fetch(`${url}/report`)).text();
    expect(await textAt(stock.url)).toBe('"Please pay."');
    expect(await textAt(ours.url)).toBe('Please pay.');
  });
});
