import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDevControls } from '@avm402/devnode';
import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { assignGroup } from '@avm402/algorand/group';
import { payer, useStage } from '../../client/test/stage.ts';
import type { Roles } from '../src/roles.ts';
import { answerError } from '../src/server/answer-error.ts';
import { groupRoutes } from '../src/server/group-routes.ts';
import { NodeAccess } from '../src/server/node-access.ts';

const stage = useStage();

let server: Server;
afterEach(() => void server.close());

async function listen(access: Roles['algod']): Promise<string> {
  server = express()
    .use('/api', groupRoutes(new NodeAccess(access, fetch)), answerError)
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/groups`;
}

/** Sends groups to the console of a node, and tells what it answers. */
async function consoleOf(access: Roles['algod']) {
  const url = await listen(access);
  return async (members: unknown): Promise<{ status: number; body: unknown }> => {
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify({ members }) };
    const response = await fetch(url, request);
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

it('a transaction is shown with all members of its group, and alone while it waits', async () => {
  const { algod, access } = stage.chain;
  const url = await listen(access);
  const { lastRound: firstValid, genesisHash, genesisId } = await algod.params();
  const header = { firstValid, lastValid: firstValid + 10n, genesisHash, genesisId, fee: 1_000n };
  const [sender, receiver] = [payer.address, payer.address];
  const txn = (amount: bigint) => ({ ...header, type: 'pay', sender, receiver, amount }) as const;
  const signed = assignGroup([txn(1n), txn(2n)]).map((member) => payer.signTransaction(member));
  const { txId } = await algod.sendRawTransaction(Buffer.concat(signed));
  const ofTransaction = async (id: string): Promise<unknown> => (await fetch(`${url}/${id}`)).json();
  const members = [1, 2].map((amt) => ({ signed: { txn: { type: 'pay', snd: sender, amt } } }));
  expect(await ofTransaction(txId)).toMatchObject(members);
  const { id } = ((await ofTransaction(txId)) as { id: string }[])[1] ?? { id: '' };
  expect(await ofTransaction(id)).toMatchObject(members);

  const controls = createDevControls(access);
  await controls.pause();
  const { txId: waiting } = await algod.sendRawTransaction(payer.signTransaction(txn(3n)));
  expect(await ofTransaction(waiting)).toMatchObject([{ id: waiting, signed: { txn: { amt: 3 } } }]);
  await controls.resume();
});

it('a node that does not give the block of a transaction is told as that', async () => {
  const { algod, access } = stage.chain;
  const url = await listen(access);
  const { lastRound: firstValid, genesisHash, genesisId } = await algod.params();
  const header = { firstValid, lastValid: firstValid + 10n, genesisHash, genesisId, fee: 1_000n };
  const txn = { ...header, type: 'pay', sender: payer.address, receiver: payer.address, amount: 0n } as const;
  const { txId } = await algod.sendRawTransaction(payer.signTransaction(txn));
  await createDevControls(access).addFault({ route: 'GET /v2/blocks/{round}', status: 500 });
  const response = await fetch(`${url}/${txId}`);
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ code: 'algod_bad_answer', message: expect.stringContaining('500') });
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
