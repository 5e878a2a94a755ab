import { describe, expect, it } from 'vitest';
import { asking } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { environmentOn, payOn } from './pay-on.ts';
import { run } from './run.ts';

const stage = useStage();
const environment = environmentOn(stage);
const pay = payOn(stage);

describe('before anything is signed', () => {
  const keyOf = (fill: number): Record<string, string> => ({
    AVM_MNEMONIC: '',
    AVM_PRIVATE_KEY: Buffer.alloc(32, fill).toString('base64'),
  });

  it('an account that has not opted in, or holds too little, is told so, and how to change it', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const poor = environment(keyOf(91));
    expect(await pay([seller.url], { environment: poor })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/account_not_opted_in: .*\nRun "avm402 optin --asset \d+" once/),
    });
    await run(['fund', '--usdc', '0.005'], { environment: poor });
    expect(await pay([seller.url], { environment: poor })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/account_short_of_asset: \w+ holds \$0.005, and the payment takes \$0.01\n.*fund/),
    });
    expect(seller.payments()).toEqual([]);
    await run(['fund', '--usdc', '0.02'], { environment: poor });
    expect(await pay([seller.url], { environment: poor })).toMatchObject({ code: 0 });
  });

  it('an account without ALGO for a fee that nobody sponsors is told how much it lacks', async () => {
    const seller = await stage.sellerThat(() => asking([{ extra: {} }]));
    const poor = environment(keyOf(92));
    await run(['fund', '--algo', '0.2', '--usdc', '1'], { environment: poor });
    expect(await pay([seller.url], { environment: poor })).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/account_unfunded: \w+ lacks 0.\d+ ALGO for the network fee/),
    });
  });
});

it('an offer that can’t be read says why', async () => {
  const seller = await stage.sellerThat(() => ({ status: 402, headers: { 'PAYMENT-REQUIRED': 'eyJ4Ijox' } }));
  const { code, stderr } = await pay([seller.url]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('invalid_payment_required: ') });
  expect(JSON.parse((await pay([seller.url, '--json'])).stdout)).toMatchObject({
    error: { code: 'invalid_payment_required' },
  });
});
