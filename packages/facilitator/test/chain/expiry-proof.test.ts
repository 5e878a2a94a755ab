import { expect, it } from 'vitest';
import { AlgodPool } from '../../src/chain/algod-pool.ts';
import { BlockReader } from '../../src/chain/block-reader.ts';
import { proveExpiry } from '../../src/chain/expiry-proof.ts';
import { silentLog } from '../../src/log/log.ts';
import { TroubleLog } from '../../src/log/trouble-log.ts';
import { ModelChain, ModelNode } from '../model-chain.ts';

it('a block that no node has leaves open the payments that may be in it, and no other', async () => {
  const chain = new ModelChain();
  chain.mine(100);
  const model = new ModelNode(chain);
  model.oldestBlock = 31n;
  const client = model.client();
  const pool = new AlgodPool({ clients: [client], log: silentLog, troubles: new TroubleLog(silentLog), now: Date.now });
  const verdicts = await proveExpiry({
    pool,
    blocks: new BlockReader({ mayChange: false }),
    node: { client, lastRound: 100n, connected: true },
    payments: [
      { txId: 'BEGINS BEFORE', firstValid: 30n, lastValid: 60n, searchedFrom: 101n },
      { txId: 'BEGINS AFTER', firstValid: 31n, lastValid: 60n, searchedFrom: 101n },
    ],
    signal: AbortSignal.timeout(10_000),
  });
  expect(verdicts).toEqual(new Map([['BEGINS AFTER', 'absent']]));
});
