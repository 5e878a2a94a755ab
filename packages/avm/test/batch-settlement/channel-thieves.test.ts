import { expect, it } from 'vitest';
import { keepAlive } from '../mandate/keep-alive.ts';
import { numbers } from '../mandate/thieves.ts';
import { ChannelThieves, type ChannelThefts } from './channel-thieves.ts';
import { closer, seller, stranger, USDC, useChain } from './stage.ts';

const chain = useChain({ exchange: keepAlive(), strict: true });

it('40 random sequences of a seller, a closer and a sponsor: no group takes more from a payer than it has signed away', async () => {
  const thefts: ChannelThefts = { accepted: 0, refused: 0, claims: 0, late: 0 };
  const { genesisHash } = await chain.algod.params();
  for (const { address } of [closer, seller, stranger]) {
    await chain.node.fund(address, 1_000_000_000n);
    await chain.node.deal(address, USDC, 1_000_000n);
  }
  // With this seed a thief succeeds where O3, O5 or L5 is left out of the program.
  const random = numbers(5);
  for (let left = 40; left > 0; left -= 1) await new ChannelThieves(chain, genesisHash, random, thefts).run(20);
  expect(thefts.accepted).toBeGreaterThan(80);
  expect(thefts.refused).toBeGreaterThan(200);
  expect(thefts.claims).toBeGreaterThan(20);
  expect(thefts.late).toBeGreaterThan(0);
});
