import { describe, expect, it } from 'vitest';
import { tableUnder } from './security-page.ts';
import { serverCases } from './server-cases.ts';
import { openOurShop, openStockShop } from './shops.ts';

describe.each(serverCases)('$rule, $attempt', ({ run, ours, stock }) => {
  it(`here: ${ours}`, async () => {
    expect(await run(openOurShop, ours)).toBe(ours);
  });

  it(`at the stock server and facilitator: ${stock}`, async () => {
    expect(await run(openStockShop, stock)).toBe(stock);
  });
});

it('docs/security.md has these outcomes, and no others', () => {
  expect(tableUnder('Rules for servers')).toEqual(
    serverCases.map(({ rule, attempt, ours, stock }) => [rule, attempt, ours, stock]),
  );
});
