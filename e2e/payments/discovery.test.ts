import { createPayingFetch } from '@avm402/client';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { parseAccount } from '@avm402/algorand/account';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { withBazaar } from '@x402/extensions/bazaar';
import { afterAll, beforeAll, expect, it } from 'vitest';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

it('what was sold once is found by stock’s client in the facilitator’s catalogue, as its seller declares it', async () => {
  const catalogue = withBazaar(new HTTPFacilitatorClient({ url: stack.facilitator.url })).extensions.bazaar;
  expect((await catalogue.search({ query: 'weather' })).resources).toEqual([]);

  const account = parseAccount(stack.accounts.payer.privateKey);
  const paying = createPayingFetch({ account, networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } } });
  const url = `${stack.weather.url}/weather`;
  expect((await paying(`${url}?city=oslo`)).status).toBe(200);

  const { resources } = await catalogue.search({ query: 'weather' });
  expect(resources).toMatchObject([
    {
      resource: url,
      type: 'http',
      accepts: [{ scheme: 'exact', amount: '10000', payTo: stack.accounts.merchant.address }],
      mimeType: 'application/json',
      extensions: { bazaar: { info: { input: { type: 'http', method: 'GET' } } } },
    },
  ]);
  const why = await fetch(`${stack.facilitator.url}/discovery/why?${new URLSearchParams({ url }).toString()}`);
  expect(await why.json()).toMatchObject({ listed: true });
});
