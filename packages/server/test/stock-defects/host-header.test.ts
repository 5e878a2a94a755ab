import { describe, expect, it } from 'vitest';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { openBoth } from '../support/both-shops.ts';
import { rawRequest } from '../support/raw-request.ts';

describe('a Host header of the asker’s choice', () => {
  it('becomes the resource of the offer in stock, to be catalogued; not in ours', async () => {
    const { ours, stock } = await openBoth();
    const resourceAt = async (url: string): Promise<string> => {
      const answer = await rawRequest(url, '/report', 'GET', ['X-Forwarded-Host: evil.example']);
      const header = /^payment-required: (\S+)/im.exec(answer)?.[1] ?? '';
      return decodePaymentRequiredHeader(header).resource.url;
    };
    expect(await resourceAt(stock.url)).toBe('http://shop.example/report');
    expect(await resourceAt(ours.url)).toBe(`${ours.url}/report`);
  });
});
