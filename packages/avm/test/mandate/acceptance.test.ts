import { expect, it } from 'vitest';
import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { endMandateGroup, openMandateGroup } from '../../src/mandate/mandate-groups.ts';
import { mandateProgram } from '../../src/mandate/mandate-config.ts';
import { slotLease, windowEnd } from '../../src/mandate/mandate-window.ts';
import { ruledBy, stranger, useChain } from '../batch-settlement/stage.ts';
import { feeBy, mandateOn, owner, payment, refusalOf, signedBy } from './stage.ts';

// The conditions of agent-bounties #313: 89 USDC in all, 5 for an action, 10 in 24 hours, 30 days, revocable.
const chain = useChain();
const DOLLAR = 1_000_000n;
/** 30 days of 2.8 seconds a round. */
const THIRTY_DAYS = 925_714n;

async function opened(expiry?: bigint) {
  const { lastRound } = await chain.algod.params();
  const config = await mandateOn(chain, { cap: 5n * DOLLAR, slots: 2n, expiry: expiry ?? lastRound + THIRTY_DAYS });
  const ruled = ruledBy(mandateProgram(config));
  const group = openMandateGroup(config, { amount: 89n * DOLLAR }, await chain.terms());
  await chain.algod.sendRawTransaction(Buffer.concat(signedBy(group, { ruled })));
  const act = async (dollars: bigint, slot = 1n): Promise<string | undefined> => {
    const change: Partial<AssetTransferTransaction> = { amount: dollars, lease: slotLease(slot) };
    const transfer = await payment(chain, ruled, change);
    const paying = [feeBy(stranger, transfer), transfer];
    const refusal = await refusalOf(chain, paying, { ruled });
    if (refusal === undefined) await chain.algod.sendRawTransaction(Buffer.concat(signedBy(paying, { ruled })));
    return refusal;
  };
  return { config, ruled, act };
}

it('an agent may spend 89 dollars in all, 5 for an action, for 30 days, until the owner revokes it', async () => {
  const { config, ruled, act } = await opened();
  expect(await act(5n * DOLLAR + 1n)).toMatch(/rejected by logic/);
  // 10 in 24 hours, exactly, can't be stated: the rate is 10 in a window of 500 rounds, 23 minutes.
  for (let window = 0; window < 8; window += 1) {
    for (const slot of [1n, 2n]) expect(await act(5n * DOLLAR, slot)).toBeUndefined();
    for (const slot of [1n, 2n]) expect(await act(5n * DOLLAR, slot)).toMatch(/overlapping lease/);
    expect(await act(1n, 3n)).toMatch(/rejected by logic/);
    await chain.node.mine(500);
  }
  expect(await act(5n * DOLLAR)).toBeUndefined();
  expect(await act(5n * DOLLAR, 2n)).toMatch(/underflow|balance/);
  expect(await act(4n * DOLLAR, 2n)).toBeUndefined();
  expect(await chain.usdcOf(ruled.address)).toBe(0n);
  const end = endMandateGroup(config, await chain.terms());
  await chain.algod.sendRawTransaction(Buffer.concat(signedBy(end, { ruled })));
  expect(await act(1n)).toMatch(/./);
});

it('around a boundary of two windows a thief gets twice what a window allows, and no more', async () => {
  const { ruled } = await opened();
  const { lastRound } = await chain.algod.params();
  await chain.node.mine(Number(windowEnd(lastRound + 10n) - lastRound - 5n));
  const steal = async (slot: bigint): Promise<string | undefined> => {
    const lastValid = windowEnd(chain.node.latestRound + 1n);
    const transfer = await payment(chain, ruled, { amount: 5n * DOLLAR, lease: slotLease(slot), lastValid });
    const paying = [feeBy(stranger, transfer), transfer];
    const refusal = await refusalOf(chain, paying, { ruled });
    if (refusal === undefined) await chain.algod.sendRawTransaction(Buffer.concat(signedBy(paying, { ruled })));
    return refusal;
  };
  const [held, start] = [await chain.usdcOf(ruled.address), chain.node.latestRound];
  for (let window = 0; window < 2; window += 1) {
    for (const slot of [1n, 2n]) expect(await steal(slot)).toBeUndefined();
    for (const slot of [1n, 2n]) expect(await steal(slot)).toMatch(/overlapping lease/);
    await chain.node.mine(5);
  }
  expect(chain.node.latestRound - start).toBeLessThan(20n);
  expect(held - (await chain.usdcOf(ruled.address))).toBe(20n * DOLLAR);
});

it('it ends by itself: after the expiry the agent pays nothing, and anybody returns the rest to the owner', async () => {
  const { lastRound } = await chain.algod.params();
  const { config, ruled, act } = await opened(lastRound + 10n);
  await chain.node.mine(20);
  expect(await act(1n)).toMatch(/rejected by logic/);
  const before = await chain.usdcOf(owner.address);
  const end = endMandateGroup(config, await chain.terms(), stranger.address);
  await chain.algod.sendRawTransaction(Buffer.concat(signedBy(end, { ruled })));
  expect((await chain.usdcOf(owner.address)) - before).toBe(89n * DOLLAR);
});
