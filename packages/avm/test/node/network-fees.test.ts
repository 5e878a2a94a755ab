import { expect, it } from 'vitest';
import { CurrentFees } from '../../src/node/network-fees.ts';

it('fees are asked for again after five seconds, and when the clock was set back', async () => {
  let clock = 100_000;
  let asked = 0n;
  const params = async () => {
    asked += 1n;
    return {
      fee: 0n,
      minFee: asked,
      genesisId: '',
      genesisHash: new Uint8Array(),
      lastRound: 0n,
      consensusVersion: '',
    };
  };
  const network = { algod: { params } };
  const fees = new CurrentFees(() => clock);
  const found: bigint[] = [];
  for (clock of [100_000, 104_999, 105_000, 104_000]) found.push((await fees.of(network)).minFee);
  expect(found).toEqual([1n, 1n, 2n, 3n]);
});
