import { setTimeout } from 'node:timers/promises';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient } from '@x402/core/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { facilitatorEndpoint } from '../src/facilitator/facilitator-endpoint.ts';
import { FacilitatorPool } from '../src/facilitator/facilitator-pool.ts';
import { listen } from './support/shop.ts';

const kinds = [{ x402Version: 2, scheme: 'exact', network: ALGORAND_TESTNET }];

/** A facilitator that answers a settlement look-up with this status. */
async function replica(status: number, body: unknown = {}) {
  const asked: string[] = [];
  const preferences: (string | undefined)[] = [];
  const app = express();
  app.get(
    '/supported',
    (_request, response) => void response.set('x402-store-id', 'one').json({ kinds, extensions: [], signers: {} }),
  );
  app.get('/settlements/:txId', (request, response) => {
    asked.push(request.params.txId);
    preferences.push(request.get('prefer'));
    response.status(status).json(body);
  });
  return { url: await listen(app), asked, preferences };
}

function poolOf(...replicas: readonly { readonly url: string }[]): FacilitatorPool {
  return new FacilitatorPool(
    replicas.map(({ url }, position) => facilitatorEndpoint(new HTTPFacilitatorClient({ url }), position)),
    Date.now,
  );
}

describe('what became of a settlement', () => {
  it.each([500, 502, 503, 429, 401])('is asked of a second replica when the first answers %i', async (status) => {
    const [first, second] = [await replica(status), await replica(200, { state: 'confirmed' })];
    expect(await poolOf(first, second).settlement('TX', ALGORAND_TESTNET, { timeoutMs: 1_000 })).toEqual({
      state: 'confirmed',
    });
    expect([first.asked, second.asked]).toEqual([['TX'], ['TX']]);
  });

  it('is waited for until an answer still arrives in the time that a replica has', async () => {
    const [first, second] = [await replica(500), await replica(200, { state: 'confirmed' })];
    const look = { timeoutMs: 30_000, waits: true };
    expect(await poolOf(first, second).settlement('TX', ALGORAND_TESTNET, look)).toEqual({ state: 'confirmed' });
    expect([first.preferences, second.preferences]).toEqual([['wait=10'], ['wait=10']]);
    await poolOf(second).settlement('TX', ALGORAND_TESTNET, { timeoutMs: 5_500, waits: true });
    expect(second.preferences).toEqual(['wait=10', undefined]);
  });

  it('is not known where the first replica has no record: they share one', async () => {
    const [first, second] = [await replica(404), await replica(200, { state: 'confirmed' })];
    expect(await poolOf(first, second).settlement('TX', ALGORAND_TESTNET, { timeoutMs: 1_000 })).toBeUndefined();
    expect(second.asked).toEqual([]);
  });

  it('is an error when nobody answers', async () => {
    await expect(
      poolOf(await replica(500)).settlement('TX', ALGORAND_TESTNET, { timeoutMs: 1_000 }),
    ).rejects.toMatchObject({
      code: 'facilitator_unreachable',
    });
  });
});

describe('the time for a call', () => {
  it('holds for its credentials and its answer together', async () => {
    const app = express().use(async (_request, response) => {
      await setTimeout(400);
      response.json({ kinds, extensions: [], signers: {} });
    });
    const client = new HTTPFacilitatorClient({
      url: await listen(app),
      createAuthHeaders: async () => {
        await setTimeout(400);
        return { verify: {}, settle: {}, supported: {} };
      },
    });
    expect(await facilitatorEndpoint(client, 0).supported(600)).toMatchObject({
      kind: 'unknown',
      error: { message: expect.stringContaining('did not answer in time') },
    });
  });
});

it('a facilitator that nobody started is one error, which says how to start one', async () => {
  const error: unknown = await poolOf({ url: 'http://127.0.0.1:9' })
    .algorandKinds()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'facilitator_unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
    remedy: expect.stringContaining('npx @avm402/facilitator --help'),
    cause: { code: 'ECONNREFUSED' },
  });
});
