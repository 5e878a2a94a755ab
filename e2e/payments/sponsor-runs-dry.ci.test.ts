import { createAlgodClient } from '@avm402/algorand/algod';
import { createDevControls, developmentAccounts } from '@avm402/devnode';
import { startStack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { expect, it } from 'vitest';
import { drainSponsor } from '../drain-sponsor.ts';
import { offerOf, paidHeaders, payFor } from '../payment.ts';

async function untilReadinessIs(status: string, url: string): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = (await (await fetch(`${url}/ready`)).json()) as Record<string, unknown>;
    if (answer['status'] === status) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('operator, seller and buyer are told that the sponsor is out of ALGO, and a refill ends it', async () => {
  const { privateKey } = developmentAccounts().facilitator;
  await using stack = await startStack({ facilitatorEnvironment: { AVM_PRIVATE_KEY: privateKey } });
  const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const url = `${stack.weather.url}/weather`;
  const buy = async (): Promise<Response> => {
    const payment = await payFor(offerOf(await fetch(url)), stack.accounts.payer, stack.node.url);
    return fetch(url, { headers: paidHeaders(payment) });
  };
  expect((await buy()).status).toBe(200);
  await drainSponsor(algod);

  const refused = await buy();
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'sponsor_unfunded' }]);
  expect(stack.weather.output()).toContain('sponsor_unfunded');
  const { problems } = await untilReadinessIs('not_ready', stack.facilitator.url);
  expect(problems).toMatchObject([{ code: 'sponsor_empty' }]);
  expect(stack.facilitator.output()).toContain('the sponsor has few payments left');
  expect((await fetch(`${stack.facilitator.url}/health`)).status).toBe(200);

  const controls = createDevControls({ url: stack.node.url, token: NODE_TOKEN });
  await controls.fund(stack.accounts.facilitator.address, 100_000_000n);
  await untilReadinessIs('ready', stack.facilitator.url);
  expect((await buy()).status).toBe(200);
});
