import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt } from '../support/shop.ts';

describe('headers of a handler whose settlement fails', () => {
  it('leave with the 402 in stock, even its encoding; nothing of them leaves in ours', async () => {
    const { ours, stock } = await openBoth({
      handlers: (app) =>
        void app.get('/report', (_request, response) => {
          response.cookie('session', 'secret').set({ 'x-answer': 'secret', 'content-language': 'xx' }).send('secret');
        }),
    });
    const headersOf = async ({ url, stub }: typeof ours): Promise<string> => {
      stub.onSettle = ({ txId, body }) => ({
        body: {
          success: false,
          errorReason: 'settlement_rejected',
          transaction: txId,
          network: body.paymentRequirements['network'],
        },
      });
      const response = await fetch(`${url}/report`, { headers: withPayment(pay(await offerAt(`${url}/report`))) });
      expect(response.status).toBe(402);
      return JSON.stringify([...response.headers]);
    };
    expect(await headersOf(stock)).toMatch(/session=secret.*"x-answer","secret"|"x-answer","secret".*session=secret/);
    expect(await headersOf(ours)).not.toMatch(/secret|content-language/);
  });
});
