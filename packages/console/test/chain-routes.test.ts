import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createDevControls } from '@avm402/devnode';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { payer, useStage } from '../../client/test/stage.ts';
import { answerError } from '../src/server/answer-error.ts';
import { chainRoutes } from '../src/server/chain-routes.ts';
import { NodeAccess } from '../src/server/node-access.ts';

const stage = useStage();

it('a node that no longer knows the state before a transaction is told as that, not as an error of the console', async () => {
  const { algod, access } = stage.chain;
  const server = express()
    .use(chainRoutes(new NodeAccess(access, fetch)), answerError)
    .listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const controls = createDevControls(access);
  await controls.mine();
  const { lastRound: firstValid, genesisHash, genesisId } = await algod.params();
  const header = { firstValid, lastValid: firstValid + 10n, genesisHash, genesisId, fee: 1_000n };
  const txn = { ...header, type: 'pay', sender: payer.address, receiver: payer.address, amount: 0n } as const;
  const { txId } = await algod.sendRawTransaction(payer.signTransaction(txn));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/traces/${txId}`;
  expect((await fetch(url)).status).toBe(200);
  await controls.mine(10);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([
    502,
    { code: 'refused', message: expect.stringContaining('before dbRound') },
  ]);
});
