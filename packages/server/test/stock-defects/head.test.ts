import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';

// Express serves HEAD with the handler of GET.
describe('HEAD on a paid GET', () => {
  it('stock runs the handler unpaid; ours asks for payment and runs nothing', async () => {
    const { ours, stock } = await openBoth();
    const [ourAnswer, stockAnswer] = await Promise.all(
      [ours, stock].map(({ url }) => fetch(`${url}/report`, { method: 'HEAD' })),
    );
    expect([stockAnswer?.status, stock.runs()]).toEqual([200, 1]);
    expect([ourAnswer?.status, ours.runs()]).toEqual([402, 0]);
    expect(ourAnswer?.headers.get('payment-required')).not.toBeNull();
  });
});
