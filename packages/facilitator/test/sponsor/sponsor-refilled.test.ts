import { afterEach, beforeEach, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { KEY } from '../harness.ts';

const REFILL = 10_000_000n;
/** More rounds than a payment lives on TestNet. */
const ROUNDS = 50;

let h: DevnodeHarness;

beforeEach(async () => {
  h = await DevnodeHarness.start({ node: { network: 'testnet' }, facilitator: { settleTimeoutMs: 50 } });
});

afterEach(() => h.stop());

/** All that the sponsor can spend goes to the merchant. */
async function drain(): Promise<void> {
  const sponsor = h.account('facilitator');
  const { amount, minBalance } = await h.algod.account(sponsor.address);
  const parties = { sender: sponsor.address, receiver: h.account('merchant').address };
  await h.send(sponsor, { ...(await h.header()), ...parties, type: 'pay', amount: amount - minBalance - 1_000n });
}

/** A payment that was verified while the sponsor could pay for it, and is asked to be settled when it can't. */
async function settleWhileDry() {
  const payment = await h.pay();
  expect(await h.facilitator.verify(payment, h.requirements())).toMatchObject({ isValid: true });
  await drain();
  const settle = () => h.facilitator.settle(payment, h.requirements(), { idempotencyKey: KEY });
  return { settle, answer: await settle() };
}

it('a payment that no node takes because the sponsor is out of ALGO is pending, and settles after the refill', async () => {
  const { settle, answer } = await settleWhileDry();
  expect(answer).toMatchObject({ errorReason: 'settlement_pending', extra: { state: 'submitted' } });
  await h.devnode.fund(h.account('facilitator').address, REFILL);
  await eventually(async () => (await settle()).success);
  expect(await settle()).toMatchObject({ success: true, transaction: answer.transaction });
});

it('without a refill it expires with its window, and its buyer is not charged', async () => {
  const { settle, answer } = await settleWhileDry();
  const before = h.usdc(h.account('payer').address);
  await h.devnode.mine(ROUNDS);
  await eventually(async () => (await h.facilitator.settlement(answer.transaction))?.state === 'expired');
  expect(await settle()).toMatchObject({ success: false, errorReason: 'settlement_expired' });
  expect(h.usdc(h.account('payer').address)).toBe(before);
});
