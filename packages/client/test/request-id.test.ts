import { expect, it } from 'vitest';
import { type Answer, asking } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();

function askingAs(requestId: string): Answer {
  const answer = asking();
  return { ...answer, headers: { ...answer.headers, 'X-Request-Id': requestId } };
}

it('an error names the request as the seller does, so that its log can be searched', async () => {
  const seller = await stage.sellerThat(() => askingAs('order-17'));
  const refused = stage.paying({ spend: { perPayment: '$0.001' } })(seller.url);
  await expect(refused).rejects.toMatchObject({ code: 'spend_limit_exceeded', details: { requestId: 'order-17' } });
});

it('an error does not repeat what is more than an id', async () => {
  const seller = await stage.sellerThat(() => askingAs('x'.repeat(200)));
  const refused = stage.paying({ spend: { perPayment: '$0.001' } })(seller.url);
  await expect(refused).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
  await expect(refused).rejects.not.toHaveProperty('details.requestId');
});
