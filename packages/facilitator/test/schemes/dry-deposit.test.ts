import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { developmentSeed } from '@avm402/algorand/development-key';
import { openingGroup } from '@avm402/avm/batch-settlement';
import { expect, it } from 'vitest';
import { createMemorySettlementStore } from '../../src/index.ts';
import { ChannelStage, DEPOSIT } from './channel-stage.ts';
import type { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { withChanges } from '../harness.ts';

const REFILL = 10_000_000n;
const KEY = 'k'.repeat(32);
const feePayer = accountFromSeed(new Uint8Array(32).fill(71));

/** All that an account can spend goes to the merchant. */
async function drain(h: DevnodeHarness, account: Account): Promise<void> {
  const { amount, minBalance } = await h.algod.account(account.address);
  const parties = { sender: account.address, receiver: h.account('merchant').address };
  await h.send(account, { ...(await h.header()), ...parties, type: 'pay', amount: amount - minBalance - 1_000n });
}

it.each([
  ['the account that pays its fee', () => feePayer],
  ['the account that lends it ALGO', (h: DevnodeHarness) => h.account('facilitator')],
])('a deposit that no node takes because %s has run dry is pending, and settles after the refill', async (_, dry) => {
  const store = createMemorySettlementStore();
  let beforeRecord = async (): Promise<void> => {};
  await using stage = await ChannelStage.start({
    facilitator: {
      sponsorship: { account: accountFromSeed(developmentSeed('facilitator')), moreAccounts: [feePayer], anyone: true },
      settleTimeoutMs: 50,
      store: withChanges(store, {
        record: async (...call) => {
          await beforeRecord();
          return store.record(...call);
        },
      }),
    },
  });
  const { harness: h } = stage;
  await h.devnode.fund(feePayer.address, REFILL);
  beforeRecord = () => drain(h, dry(h));
  const config = await stage.config();
  const { extra } = await stage.requirements();
  const requirements = await stage.requirements({ extra: { ...extra, feePayer: feePayer.address } });
  const group = openingGroup(config, { feePayer: feePayer.address, deposit: DEPOSIT }, await stage.terms());
  const settle = () => stage.settle(stage.deposit(config, DEPOSIT, group), { requirements, key: KEY });
  const pending = await settle();
  expect(pending).toMatchObject({ errorReason: 'settlement_pending', extra: { state: 'submitted' } });
  expect(await store.find(pending.transaction)).toMatchObject({ feePayer: feePayer.address });
  await h.devnode.fund(dry(h).address, REFILL);
  await eventually(async () => (await settle()).success);
});
