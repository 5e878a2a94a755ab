import { join } from 'node:path';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { channelId, encodeChannelPayload, signClaim, signVoucher } from '@avm402/avm/batch-settlement';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { type Fault, startFaultProxy } from '@avm402/testkit/fault-proxy';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askFacilitator } from '../ask-facilitator.ts';
import { channelConfig, channelRequirements, claimKey, DEPOSIT, openingPayment, sessionKey } from './deposit.ts';
import { openPrograms, type Programs } from '../server-faults/programs.ts';

let programs: Programs;
beforeEach(async () => {
  programs = await openPrograms();
});
afterEach(() => programs.stop());

const settle = async (url: string, payment: PaymentPayload) => (await askFacilitator(url, 'settle', payment)).answer;

it.each<[string, Fault]>([
  ['before the node has its close', 'drop-request'],
  ['after the node has its close, which it does not know', 'drop-answer'],
])('a facilitator that is killed %s closes the channel once when it is back', async (_, fault) => {
  const node = await programs.node();
  const algod = createAlgodClient({ url: node.url, token: NODE_TOKEN });
  let faults: Fault | undefined;
  const line = programs.keep(
    await startFaultProxy({
      targets: () => [node.url],
      fault: ({ method, url }) => (method === 'POST' && url === '/v2/transactions' ? faults : undefined),
    }),
  );
  const store = {
    SETTLEMENT_STORE: join(programs.folder, 'settlements.sqlite'),
    CHANNEL_MIN_DEPOSIT: '1',
    CHANNEL_MIN_ROUNDS: '100',
  };
  const facilitator = await programs.facilitator(line, store);
  const { payer, merchant, facilitator: sponsor } = developmentAccounts();
  const parties = { payer: payer.address, seller: merchant.address, sponsor: sponsor.address };
  const config = await channelConfig(algod, parties);
  const id = channelId(config);
  const accepted = await channelRequirements(facilitator.url, config);
  const opening = await openingPayment(config, { algod, payer: parseAccount(payer.privateKey), accepted });
  expect(await settle(facilitator.url, opening)).toMatchObject({ success: true });
  const before = { seller: await usdcOf(algod, merchant.address), payer: await usdcOf(algod, payer.address) };

  const claimOf = (amount: bigint): PaymentPayload => {
    const voucher = signVoucher(sessionKey, id, amount);
    const authorization = signClaim(claimKey, { channelId: id, amount });
    const payload = encodeChannelPayload({ type: 'claim', channelConfig: config, amount, voucher, authorization });
    return { x402Version: 2, accepted, payload };
  };
  faults = fault;
  const unanswered = settle(facilitator.url, claimOf(100n)).catch(() => 'no answer');
  await vi.waitFor(() => expect(line.counts[fault]).toBeGreaterThan(0), { timeout: 10_000, interval: 10 });
  await facilitator.kill();
  expect(await unanswered).toBe('no answer');
  faults = undefined;

  const restarted = await programs.facilitator(line, store);
  expect(await settle(restarted.url, claimOf(200n))).toMatchObject({ success: true, amount: '100' });
  expect(await usdcOf(algod, merchant.address)).toBe(before.seller + 100n);
  expect(await usdcOf(algod, payer.address)).toBe(before.payer + DEPOSIT - 100n);
  expect((await algod.account(id)).amount).toBe(0n);
});
