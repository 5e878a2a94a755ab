import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseAccount } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { createAlgodClient } from '@avm402/algorand/algod';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import { createDevControls, startDevnode } from '@avm402/devnode';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { payer, useStage } from '../../client/test/stage.ts';
import type { Roles } from '../src/roles.ts';
import { answerError } from '../src/server/answer-error.ts';
import { chainRoutes } from '../src/server/chain-routes.ts';
import { NodeAccess } from '../src/server/node-access.ts';

const stage = useStage();

/** Serves a node's routes; gives the URL below which the traces are. */
async function serve(algod: Roles['algod']): Promise<string> {
  const server = express()
    .use(chainRoutes(new NodeAccess(algod, fetch)), answerError)
    .listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/traces`;
}

it('a node that no longer knows the state before a transaction is told as that, not as an error of the console', async () => {
  const { algod, access } = stage.chain;
  const tracesUrl = await serve(access);
  const controls = createDevControls(access);
  await controls.mine();
  const { lastRound: firstValid, genesisHash, genesisId } = await algod.params();
  const header = { firstValid, lastValid: firstValid + 10n, genesisHash, genesisId, fee: 1_000n };
  const txn = { ...header, type: 'pay', sender: payer.address, receiver: payer.address, amount: 0n } as const;
  const { txId } = await algod.sendRawTransaction(payer.signTransaction(txn));
  const url = `${tracesUrl}/${txId}`;
  expect((await fetch(url)).status).toBe(200);
  await controls.mine(10);
  const response = await fetch(url);
  expect([response.status, await response.json()]).toEqual([
    502,
    { code: 'refused', message: expect.stringContaining('before dbRound') },
  ]);
});

it('a call of the first block shows no steps, because a node runs it only at the latest state', async () => {
  const node = await startDevnode({ port: 0 });
  onTestFinished(() => node.stop());
  const algod = createAlgodClient(node);
  const { address, privateKey } = node.accounts.payer;
  const create = async (firstValid: bigint): Promise<string> => {
    const { genesisHash: gh, lastRound } = await algod.params();
    const program = Uint8Array.of(8, 0x81, 1);
    const fields = { apap: program, apsu: program, fee: 1_000n, fv: firstValid, gh, lv: lastRound + 100n };
    const txn = { ...fields, snd: parseAddress(address), type: 'appl' };
    const sig = parseAccount(privateKey).sign(transactionSigningBytes(encodeMsgpack(txn)));
    return (await algod.sendRawTransaction(encodeMsgpack({ sig, txn }))).txId;
  };
  const [first, second] = [await create(1n), await create(2n)];
  const url = await serve(node);
  const applications = async (txId: string): Promise<unknown> =>
    ((await (await fetch(`${url}/${txId}`)).json()) as { applications: unknown }).applications;
  expect(await applications(second)).toMatchObject([{ application: '1002' }]);
  expect(await applications(first)).toEqual([]);
});
