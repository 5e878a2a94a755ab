import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { fetchExchange } from '@avm402/algorand/http-exchange';
import type { PaymentTransaction } from '@avm402/algorand/transaction';
import { expect, it } from 'vitest';
import { payer, useStage } from '../../client/test/stage.ts';
import { settleGroup } from '../src/node/settle-group.ts';

const stage = useStage();
const { signal } = new AbortController();

async function payment(): Promise<PaymentTransaction> {
  const { lastRound: firstValid, genesisId, genesisHash, minFee: fee } = await stage.chain.algod.params();
  const header = { firstValid, lastValid: firstValid + 10n, genesisId, genesisHash, fee };
  return { ...header, type: 'pay', sender: payer.address, receiver: payer.address, amount: 0n };
}

/** The stage's node, which takes what is submitted, and refuses it with these words all the same. */
function nodeThatSays(message: string): AlgodClient {
  const exchange = fetchExchange(fetch);
  return createAlgodClient({
    ...stage.chain.access,
    exchange: async (request) => {
      const answer = await exchange(request);
      return request.method === 'GET' ? answer : { status: 400, body: Buffer.from(JSON.stringify({ message })) };
    },
  });
}

it('a group that a node has and can’t pass on is waited for, because it may be confirmed', async () => {
  const txn = await payment();
  const round = await settleGroup(nodeThatSays('broadcast queue full'), payer.signTransaction(txn), txn, signal);
  expect(round).toBe(txn.firstValid + 1n);
});

it('a group that a node has already is waited for, as after a first try that was interrupted', async () => {
  const { algod } = stage.chain;
  const txn = await payment();
  const signed = payer.signTransaction(txn);
  const round = await settleGroup(algod, signed, txn, signal);
  expect(await settleGroup(algod, signed, txn, signal)).toBe(round);
});

it('a group that a node refuses is an error of the node', async () => {
  const txn = await payment();
  const refused = settleGroup(nodeThatSays('txgroup had 0 in fees'), payer.signTransaction(txn), txn, signal);
  await expect(refused).rejects.toMatchObject({ code: 'algod_refused', status: 400 });
});
