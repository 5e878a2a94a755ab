import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useStage } from '../stage.ts';
import { payOn } from './pay-on.ts';

const stage = useStage();
const pay = payOn(stage);

describe('avm402 pay with a journal', () => {
  it('keeps limits across runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const seller = await stage.sellerThat(stage.honest);
    const args = [seller.url, '--journal', join(folder, 'journal'), '--per-day', '$0.02'];
    expect([await pay(args), await pay(args), await pay(args)]).toMatchObject([
      { code: 0 },
      { code: 0 },
      { code: 3, stderr: expect.stringContaining('the spending of 24 hours would come to $0.03') },
    ]);
    await rm(folder, { recursive: true });
  });

  it('keeps them, too, when it runs several times at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'avm402-pay-'));
    const seller = await stage.sellerThat(stage.honest);
    const args = ['--journal', join(folder, 'journal'), '--per-day', '$0.02'];
    const runs = await Promise.all([1, 2, 3, 4].map((one) => pay([`${seller.url}/${one}`, ...args])));
    expect(runs.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([0, 0, 3, 3]);
    expect(await stage.chain.confirmed()).toHaveLength(2);
    await rm(folder, { recursive: true });
  });
});
