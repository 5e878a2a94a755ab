import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { pay, withPayment } from './support/payments.ts';
import { offerAt, openShop } from './support/shop.ts';

it('an answer that varies by everything says nothing more of it', async () => {
  const shop = await openShop({
    handlers: (app) => void app.get('/report', (_request, response) => void response.set('Vary', '*').send('hello')),
  });
  const url = `${shop.url}/report`;
  const answer = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
  expect([answer.status, answer.headers.get('vary')]).toEqual([200, '*']);
});

it.each<[string, (response: ServerResponse) => void]>([
  [
    'a status that is none, after end()',
    (response) => {
      response.end('hello');
      response.statusCode = 12_345;
    },
  ],
  [
    'an error, after end()',
    (response) => {
      response.end('hello');
      response.statusCode = 500;
    },
  ],
  [
    'an error, after the head',
    (response) => {
      response.writeHead(200);
      response.statusCode = 500;
      response.end('hello');
    },
  ],
  [
    'a message that is none',
    (response) => {
      response.end('hello');
      response.statusMessage = 'a\nb';
    },
  ],
  [
    'headers',
    (response) => {
      response.end('hello');
      response.setHeader('X-Late', '1');
      response.removeHeader('X-First');
    },
  ],
])('a handler that sets %s changes nothing of what is paid for, nor of what is kept', async (_what, act) => {
  const shop = await openShop({
    handlers: (app) =>
      void app.get('/report', (_request, response) => {
        response.setHeader('X-First', '1');
        act(response);
      }),
  });
  const url = `${shop.url}/report`;
  const headers = withPayment(pay(await offerAt(url), { paymentId: `pay_${'0123456789abcdef'.repeat(2)}` }));
  for (const _time of ['first', 'again']) {
    const answer = await fetch(url, { headers });
    expect([answer.status, answer.statusText, await answer.text()]).toEqual([200, 'OK', 'hello']);
    expect([answer.headers.get('x-first'), answer.headers.get('x-late')]).toEqual(['1', null]);
  }
  expect(shop.stub.settles()).toHaveLength(1);
});
