import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { createPayer, settlementOf } from '@avm402/client';
import { createDevControls, developmentAccounts } from '@avm402/devnode';
import { startStack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { expect, it } from 'vitest';

const REQUESTS = 20;

it(`over an open channel, ${REQUESTS} requests are paid and answered without a block between on a network of 2.8 s blocks`, async () => {
  await using stack = await startStack({
    nodeArguments: ['--network', 'testnet', '--block-time', '2.8s'],
    facilitatorEnvironment: { CHANNEL_MIN_DEPOSIT: '1', SPONSOR_PAY_TO: developmentAccounts().merchant.address },
  });
  const access = { url: stack.node.url, token: NODE_TOKEN };
  const algod = createAlgodClient(access);
  const controls = createDevControls(access);
  const { fetch: fetchPaid } = createPayer({
    account: parseAccount(stack.accounts.payer.privateKey),
    networks: { 'algorand:*': access },
    channels: {},
  });
  const forecast = async (): Promise<unknown> => {
    const response = await fetchPaid(`${stack.weather.url}/forecast?days=1`);
    await response.arrayBuffer();
    return settlementOf(response);
  };
  expect(await forecast()).toMatchObject({ success: true, transaction: expect.stringMatching(/^[A-Z2-7]{52}$/) });

  // Whatever waited for a block now would wait for good.
  await controls.pause();
  const { lastRound: before } = await algod.status();
  for (let request = 0; request < REQUESTS; request++) {
    expect(await forecast()).toMatchObject({ success: true, transaction: '', extra: { chargedAmount: '300' } });
  }
  expect((await algod.status()).lastRound).toBe(before);
  await controls.resume();
});
