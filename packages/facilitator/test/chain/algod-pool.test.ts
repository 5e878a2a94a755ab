import { AlgorandError } from '@avm402/algorand/errors';
import { algorandNetwork } from '@avm402/core/network';
import { beforeEach, describe, expect, it } from 'vitest';
import { AlgodPool } from '../../src/chain/algod-pool.ts';
import { silentLog } from '../../src/log/log.ts';
import { TroubleLog } from '../../src/log/trouble-log.ts';
import { ModelChain, ModelNode, refused } from '../model-chain.ts';

const troubles = new TroubleLog(silentLog);
let clock: number;
let chain: ModelChain;
let first: ModelNode;
let second: ModelNode;

beforeEach(() => {
  clock = 1_000_000;
  chain = new ModelChain();
  chain.mine(30);
  first = new ModelNode(chain);
  second = new ModelNode(chain);
});

function createPool(nodes: readonly ModelNode[] = [first, second], network?: string): AlgodPool {
  const clients = nodes.map((node, index) => node.client(`http://node-${index}.invalid`));
  const options = { clients, log: silentLog, troubles, now: () => clock };
  return new AlgodPool(network === undefined ? options : { ...options, network });
}

/** Which node answers a call now. */
async function answering(pool: AlgodPool): Promise<string> {
  return pool.run(async ({ client }) => {
    await client.status();
    return new URL(client.url).host;
  });
}

const onAnotherNetwork = (): ModelNode => {
  const other = new ModelChain({ development: true });
  other.mine(100);
  return new ModelNode(other);
};

describe('several nodes as one', () => {
  it('are of the network of the first one', async () => {
    expect(await createPool().connect()).toMatchObject({ genesisId: 'testnet-v1.0' });
  });

  it('are used in order of preference', async () => {
    const pool = createPool();
    await pool.connect();
    expect(await answering(pool)).toBe('node-0.invalid');
  });

  it('stand in for one that fails, until it has rested', async () => {
    const pool = createPool();
    await pool.connect();
    first.isDown = true;
    expect(await answering(pool)).toBe('node-1.invalid');
    first.isDown = false;
    const asked = first.calls['status'];
    expect(await answering(pool)).toBe('node-1.invalid');
    expect(first.calls['status']).toBe(asked);
    clock += 5_000;
    await pool.check();
    expect(await answering(pool)).toBe('node-0.invalid');
  });

  it('stand in for each other after the clock was set back, one that had failed before too', async () => {
    const pool = createPool();
    await pool.connect();
    first.isDown = true;
    expect(await answering(pool)).toBe('node-1.invalid');
    clock -= 900_000;
    [first.isDown, second.isDown] = [false, true];
    expect(await answering(pool)).toBe('node-0.invalid');
  });

  it('do not wait for one that says nothing any more, whenever it is looked for', async () => {
    const pool = createPool();
    await pool.connect();
    first.isDown = true;
    expect(await answering(pool)).toBe('node-1.invalid');
    first.isDown = false;
    first.hold = () => new Promise(() => {});
    clock += 5_000;
    void pool.check();
    expect(await answering(pool)).toBe('node-1.invalid');
  });

  it('are left alone longer with every failure in a row', async () => {
    const pool = createPool([first]);
    await pool.connect();
    first.isDown = true;
    const pauses: number[] = [];
    for (let failure = 0; failure < 7; failure++) {
      await expect(answering(pool)).rejects.toMatchObject({ code: 'algod_unreachable' });
      pauses.push(pool.restMs);
      clock += pool.restMs;
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    first.isDown = false;
    expect(await answering(pool)).toBe('node-0.invalid');
    expect(pool.restMs).toBe(0);
  });

  it('are used last when they are more than five rounds behind', async () => {
    first.lag = 6n;
    const pool = createPool();
    await pool.connect();
    expect(await answering(pool)).toBe('node-1.invalid');
    first.lag = 5n;
    await pool.check();
    expect(await answering(pool)).toBe('node-0.invalid');
    first.lag = 20n;
    second.isDown = true;
    await pool.check();
    expect(await answering(pool)).toBe('node-0.invalid');
  });

  it('do not answer for each other when one refuses: a refusal is an answer', async () => {
    const pool = createPool();
    await pool.connect();
    const refusal = new AlgorandError('algod_refused', 'no', { status: 400, reason: 'no' });
    let asked = 0;
    const answer = pool.run(async () => {
      asked += 1;
      throw refusal;
    });
    await expect(answer).rejects.toBe(refusal);
    expect(asked).toBe(1);
    expect(await answering(pool)).toBe('node-0.invalid');
  });

  it.each([401, 403, 404, 429, 500, 502, 503])('answer for one that says %d', async (status) => {
    const pool = createPool();
    await pool.connect();
    const host = await pool.run(async ({ client }) => {
      if (client.url.includes('node-0')) throw new AlgorandError('algod_refused', 'no', { status });
      return new URL(client.url).host;
    });
    expect(host).toBe('node-1.invalid');
  });
});

describe('what answers in place of a node', () => {
  it.each([400, 404])('is not used when it refuses even to tell the parameters, with %d', async (status) => {
    const pool = createPool();
    first.fault = () => refused(status, 'default backend');
    expect(await pool.connect()).toMatchObject({ genesisId: 'testnet-v1.0' });
    expect(await answering(pool)).toBe('node-1.invalid');
  });
});

describe('a node of another network', () => {
  it('is not used', async () => {
    const other = onAnotherNetwork();
    const pool = createPool([first, other]);
    await pool.connect();
    expect(pool.lastRound).toBe(30n);
    first.isDown = true;
    clock += 1_000;
    await expect(answering(pool)).rejects.toMatchObject({ code: 'algod_wrong_genesis' });
    expect(other.calls['status']).toBeUndefined();
  });

  it('is not used either when it comes back in place of a good one', async () => {
    const pool = createPool([first]);
    await pool.connect();
    first.isDown = true;
    await expect(answering(pool)).rejects.toMatchObject({ code: 'algod_unreachable' });
    first.isDown = false;
    Object.assign(chain, { genesis: new ModelChain({ development: true }).genesis });
    clock += 10_000;
    await expect(answering(pool)).rejects.toMatchObject({ code: 'algod_wrong_genesis' });
  });

  it('is refused at once when the network was named', async () => {
    const named = algorandNetwork(chain.genesis.genesisHash);
    await expect(createPool([onAnotherNetwork()], named).connect()).rejects.toMatchObject({
      code: 'algod_wrong_genesis',
    });
    expect(await createPool([onAnotherNetwork(), first], named).connect()).toMatchObject({ genesisId: 'testnet-v1.0' });
  });
});

describe('a round that is lower than before', () => {
  it('is told, unless the answer was only late', async () => {
    const falls: bigint[] = [];
    const onFall = (_: unknown, from: bigint): void => void falls.push(from);
    const pool = new AlgodPool({ clients: [first.client()], log: silentLog, troubles, now: () => clock, onFall });
    await pool.connect();
    const [node] = pool.nodes;
    if (node === undefined) throw new TypeError('no node');
    const late = pool.observing(node, async () => {
      const status = await first.client().status();
      chain.mine(3);
      await pool.observing(node, () => first.client().status());
      return status;
    });
    await late;
    expect([falls, pool.lastRound]).toEqual([[], 33n]);
    chain.revert(4);
    await pool.observing(node, () => first.client().status());
    expect([falls, pool.lastRound]).toEqual([[33n], 4n]);
  });
});
