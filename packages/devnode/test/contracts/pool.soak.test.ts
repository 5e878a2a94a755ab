import { expect, test } from 'vitest';
import { type Contract, describeContract } from './stage.ts';

describeContract('a constant-product pool', (stage) => {
  const assetOf = async (unitName: string): Promise<bigint> => {
    const { creator, caller, client } = stage();
    const made = { sender: creator, total: 10n ** 15n, decimals: 6, assetName: unitName, unitName };
    const { assetId } = await client.send.assetCreate({ ...made, note: crypto.randomUUID() });
    await client.send.assetOptIn({ sender: caller, assetId });
    await client.send.assetTransfer({ sender: creator, receiver: caller, assetId, amount: 10n ** 12n });
    return assetId;
  };

  interface Opened {
    readonly pool: Contract;
    readonly a: bigint;
    readonly b: bigint;
    readonly share: bigint;
  }
  const opened = async (): Promise<Opened> => {
    const pool = await stage().created('Pool', 100_000n);
    const [a, b] = [await assetOf('A'), await assetOf('B')];
    const seed = await stage().payment(pool, 400_000n);
    const open = await pool.send.call({ ...stage().call(stage().caller, 3), method: 'open', args: [seed, a, b] });
    const share = open.return as bigint;
    await stage().client.send.assetOptIn({ sender: stage().caller, assetId: share });
    return { pool, a, b, share };
  };
  const add = async ({ pool, a, b }: Opened, ofA: bigint, ofB: bigint) =>
    pool.send.call({
      ...stage().call(stage().caller, 1),
      method: 'add',
      args: [await stage().transfer(pool, a, ofA), await stage().transfer(pool, b, ofB)],
    });
  const swap = async ({ pool }: Opened, asset: bigint, amount: bigint, atLeast = 0n) =>
    pool.send.call({
      ...stage().call(stage().caller, 1),
      method: 'swap',
      args: [await stage().transfer(pool, asset, amount), atLeast],
    });
  const reserves = ({ pool, a, b }: Opened) => [a, b].map((asset) => stage().assets(pool.appAddress, asset) ?? 0n);

  test('issues shares for the geometric mean of what begins it', async () => {
    const all = await opened();
    expect((await add(all, 4_000_000_000n, 9_000_000_000n)).return).toBe(6_000_000_000n - 1000n);
    expect((await add(all, 400_000_000n, 900_000_000n)).return).toBe(600_000_000n);
    expect(stage().assets(stage().caller, all.share)).toBe(6_600_000_000n - 1000n);
  });

  test('swaps both ways in 128 bits, and its product never falls', async () => {
    const all = await opened();
    await add(all, 500_000_000_000n, 800_000_000_000n);
    const amount = 123_456_789n;
    const net = amount * 997n;
    const [ofA = 0n, ofB = 0n] = reserves(all);
    expect((await swap(all, all.a, amount)).return).toBe((net * ofB) / (ofA * 1000n + net));
    let product = ofA * ofB;
    for (const asset of [all.b, all.a, all.b]) {
      await swap(all, asset, 7_000_001n);
      const [nowA = 0n, nowB = 0n] = reserves(all);
      expect(nowA * nowB).toBeGreaterThanOrEqual(product);
      product = nowA * nowB;
    }
  });

  test('moves nothing if the price has moved, or the asset is another', async () => {
    const all = await opened();
    await add(all, 1_000_000n, 1_000_000n);
    const before = reserves(all);
    await expect(swap(all, all.a, 1000n, 1000n)).rejects.toThrow('the price has moved');
    await expect(swap(all, all.share, 1000n)).rejects.toThrow('not an asset of the pool');
    expect(reserves(all)).toEqual(before);
  });

  test('pays both assets out for shares', async () => {
    const all = await opened();
    await add(all, 1_000_000n, 4_000_000n);
    const shares = await stage().transfer(all.pool, all.share, 1_000_000n);
    const removed = await all.pool.send.call({
      ...stage().call(stage().caller, 2),
      method: 'remove',
      args: [shares],
    });
    expect(removed.return).toEqual({ a: 500_000n, b: 2_000_000n });
    expect(reserves(all)).toEqual([500_000n, 2_000_000n]);
  });
});
