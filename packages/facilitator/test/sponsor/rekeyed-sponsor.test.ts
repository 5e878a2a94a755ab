import { parseAccount } from '@avm402/algorand/account';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { developmentAccounts } from '@avm402/devnode';
import { expect, it } from 'vitest';
import { ChannelStage, DEPOSIT } from '../schemes/channel-stage.ts';
import { USDC } from '../devnode-harness.ts';

const { facilitator: first, usdcIssuer: second, merchant, payer7: keeper } = developmentAccounts();

it('accounts that are rekeyed to the key that is configured pay by every scheme, and close what they have opened', async () => {
  const [account, settler] = [first, second].map(({ address }) => parseAccount(keeper.privateKey, { address }));
  if (account === undefined || settler === undefined) throw new Error('two accounts');
  const sponsorship = { account, moreAccounts: [settler], payTo: [merchant.address], anyone: false };
  await using stage = await ChannelStage.start({ facilitator: { sponsorship } });
  const { harness } = stage;
  const { devnode, facilitator } = harness;
  for (const { address } of [account, settler]) await devnode.setAuthAddress(address, keeper.address);

  const exact = harness.requirements();
  const payment = await harness.pay(exact);
  expect(await facilitator.verify(payment, exact)).toMatchObject({ isValid: true });
  expect(await facilitator.settle(payment, exact)).toMatchObject({ success: true });

  const upto = { ...exact, scheme: 'upto', extra: { feePayer: settler.address } };
  const client = new UptoAvmClient({ account: stage.payer, algod: () => harness.algod });
  const authorized = { ...(await client.createPaymentPayload(2, upto)), accepted: upto };
  expect(await facilitator.verify(authorized, upto)).toMatchObject({ isValid: true });
  expect(await facilitator.settle(authorized, { ...upto, amount: '7' })).toMatchObject({ success: true });

  const [channel, had] = [await stage.open(), stage.usdc(merchant.address)];
  expect(await stage.settle(stage.claim(channel, DEPOSIT))).toMatchObject({ success: true });
  expect(stage.usdc(merchant.address) - had).toBe(DEPOSIT);
  expect(devnode.balance(merchant.address).assets.get(USDC)).toBeGreaterThan(DEPOSIT);
});
