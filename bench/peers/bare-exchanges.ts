import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import { announce } from '../harness/announce.ts';
import { createHttpClient } from '../harness/http-client.ts';
import { required } from '../harness/wiring.ts';

/**
 * The HTTP exchanges of a paid request and nothing else: the same hops, with bodies and headers as long as the real
 * ones, answered as soon as they are read. Nothing is signed, verified, stored or decided.
 */
const http = createHttpClient();
const role = required('ROLE');

const OFFER = 'o'.repeat(996);
const RECEIPT = 'r'.repeat(280);
const question = Buffer.from(JSON.stringify({ question: 'q'.repeat(1486) }));
const simulation = Buffer.alloc(551, 1);
const group = Buffer.alloc(577, 1);
const json = { 'Content-Type': 'application/json' };

const listeners: Readonly<Record<string, () => RequestListener>> = { node, facilitator, server };

function node(): RequestListener {
  const answerLengths = new Map([
    ['/v2/transactions/simulate', 702],
    ['/v2/transactions', 64],
    ['/v2/status/wait-for-block-after/1', 646],
    ['/v2/blocks/1/txids', 127],
  ]);
  return (request, response) => {
    request.resume().once('end', () => {
      response.setHeader('Content-Type', 'application/json');
      response.end(' '.repeat(answerLengths.get(request.url ?? '') ?? 0));
    });
  };
}

function facilitator(): RequestListener {
  const upstream = required('UPSTREAM');
  const work: Readonly<Record<string, () => Promise<number>>> = {
    '/verify': async () => {
      await http.post(`${upstream}/v2/transactions/simulate`, simulation, { 'Content-Type': 'application/msgpack' });
      return 85;
    },
    '/settle': async () => {
      await http.post(`${upstream}/v2/transactions`, group, { 'Content-Type': 'application/x-binary' });
      await http.get(`${upstream}/v2/status/wait-for-block-after/1`);
      await http.get(`${upstream}/v2/blocks/1/txids`);
      return 208;
    },
  };
  return (request, response) => {
    const answer = async (): Promise<void> => {
      const length = await work[request.url ?? '']?.();
      response.setHeader('Content-Type', 'application/json');
      response.end(verdictOfLength(length ?? 0));
    };
    request.resume().once('end', () => void answer());
  };
}

/** What callers of verify and settle look for, and padding. */
function verdictOfLength(length: number): string {
  return JSON.stringify({ success: true, isValid: true }).padEnd(length);
}

function server(): RequestListener {
  const upstream = required('UPSTREAM');
  const app = express();
  app.get('/weather', async (request, response) => {
    if (request.headers['payment-signature'] === undefined) {
      response.status(402).setHeader('PAYMENT-REQUIRED', OFFER).json({});
      return;
    }
    await http.post(`${upstream}/verify`, question, json);
    await http.post(`${upstream}/settle`, question, json);
    response.setHeader('PAYMENT-RESPONSE', RECEIPT).json({ report: { weather: 'sunny', temperature: 21 } });
  });
  return app;
}

const listener = listeners[role];
if (listener === undefined) throw new Error(`there is no role ${role}`);
const listening = createServer(listener());
listening.keepAliveTimeout = 60_000;
listening.listen(0, '127.0.0.1');
await once(listening, 'listening');
announce(`bare-${role}`, listening);
