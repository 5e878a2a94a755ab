import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { payer, useStage } from '../../client/test/stage.ts';
import type { Roles } from '../src/roles.ts';
import { answerError } from '../src/server/answer-error.ts';
import { groupRoutes } from '../src/server/group-routes.ts';

const stage = useStage();

let server: Server;
afterEach(() => void server.close());

/** Sends groups to the console of a node, and tells what it answers. */
async function consoleOf(access: Roles['algod']) {
  server = express().use('/api', groupRoutes(access), answerError).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return async (members: unknown): Promise<{ status: number; body: unknown }> => {
    const { port } = server.address() as AddressInfo;
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify({ members }) };
    const response = await fetch(`http://127.0.0.1:${port}/api/groups`, request);
    return { status: response.status, body: await response.json() };
  };
}

it('a signed group is sent, and what the node says of another one comes back', async () => {
  const { algod, access } = stage.chain;
  const send = await consoleOf(access);
  const { lastRound, genesisHash, genesisId } = await algod.params();
  const header = { firstValid: lastRound, lastValid: lastRound + 10n, genesisHash, genesisId, fee: 1_000n };
  const txn = { ...header, type: 'pay', sender: payer.address, receiver: payer.address, amount: 0n } as const;
  const signed = Buffer.from(payer.signTransaction(txn)).toString('base64');
  const sent = await send([signed]);
  expect(sent).toMatchObject({ status: 200, body: { transaction: expect.stringMatching(/^[A-Z2-7]{52}$/) } });
  expect(await send([signed])).toMatchObject({
    status: 400,
    body: { code: 'algod_refused', message: expect.stringContaining('already in ledger') },
  });
  for (const members of [[], ['no base64'], 'a text', Array.from({ length: 17 }, () => signed)]) {
    expect(await send(members)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
});

it('a node that does not answer, or refuses the console’s token, is told as that', async () => {
  const member = Buffer.from('a group').toString('base64');
  const { url } = stage.chain.access;
  expect(await (await consoleOf({ url: 'http://127.0.0.1:9', token: '' }))([member])).toMatchObject({
    status: 502,
    body: { code: 'algod_unreachable' },
  });
  server.close();
  expect(await (await consoleOf({ url, token: 'another' }))([member])).toMatchObject({
    status: 502,
    body: { code: 'algod_refused', message: expect.stringContaining('Invalid API Token') },
  });
});
