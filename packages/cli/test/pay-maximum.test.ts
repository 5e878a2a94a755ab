import { describe, expect, it } from 'vitest';
import { UptoSeller } from '../../client/test/upto/upto-seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { payOn } from './pay-on.ts';

const stage = useStage();
const pay = payOn(stage);

describe('avm402 pay, where the offer is a maximum', () => {
  it('says that it is one, and what was charged', async () => {
    const { url } = await stage.sellerThat(new UptoSeller(stage.chain).honest);
    const { code, stderr } = await pay([url]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^offer {7}at most \$0\.01 \(asset 10458941\)/);
    expect(stderr).toMatch(/^settlement {2}\$0\.003 charged by [A-Z2-7]{52}, on algorand:/m);
  });

  it('names its payment without a receipt, and no TxID to ask algod for, because it has none yet', async () => {
    const sold = new UptoSeller(stage.chain);
    const { url } = await stage.sellerThat((seen, all) => (all.length === 1 ? sold.honest(seen, all) : {}));
    const { code, stderr } = await pay([url]);
    expect([code, stderr]).toEqual([5, expect.stringMatching(/^outcome of upto:\S+ not yet known, status 200/m)]);
    expect(stderr).not.toContain('/v2/transactions/pending/');
  });
});
