import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClient } from '../client.ts';
import { copyRows } from '../copy-rows.ts';
import { startNode } from '../node.ts';
import { payers, startChannelServer, startFacilitator } from '../roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

export interface ChannelAges {
  /** Measured at a time. */
  readonly requests: number;
  /** Vouchers that the channel has paid by before the second case. */
  readonly vouchers: number;
  /** Open channels in the seller's record in the third. */
  readonly channels: number;
}

export const channelGrowth: Scenario = {
  name: 'channel-growth',
  title: 'A channel that grows old, among many',
  method:
    'As above, one buyer, one request after another: over a channel that has just been opened, over the same one after so ' +
    'many vouchers, and after a restart of the seller, whose record then has so many open channels.',
  targets: [],
  run: (bench) =>
    ageing(
      bench,
      bench.full
        ? { requests: 2_000, vouchers: 990_000, channels: 100_000 }
        : { requests: 200, vouchers: 5_000, channels: 5_000 },
    ),
};

/** Pays by a new channel, by one that has paid for much, and by one of many. */
export async function ageing(bench: Bench, { requests, vouchers, channels }: ChannelAges) {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  await bench.own(Promise.resolve({ stop: () => rm(folder, { recursive: true, force: true }) }));
  const store = join(folder, 'channels.sqlite');
  const node = await bench.own(startNode('instant'));
  const facilitator = await bench.own(startFacilitator('ours', node));
  const client = await bench.own(startClient('our-channel', node.environment));
  let server = await startChannelServer(facilitator.url, store);
  const [payer] = payers;
  if (payer === undefined) throw new Error('nobody pays');
  const pay = (operations: number, workers = 1) => {
    const privateKeys = Array.from({ length: workers }, () => payer.privateKey);
    return client.run({ url: `${server.url}/weather`, privateKeys, operations });
  };
  const measure = (name: string) => {
    const pids = [client.pid, server.pid];
    const sides = [{ name: 'ours', pids, run: () => pay(requests) }] as const;
    const [rounds, warmUpMs] = bench.full ? [5, 5_000] : [2, 200];
    return bench.compare({ case: name, sides, rounds, warmUpMs });
  };
  await pay(1);
  const slices = await measure('a new channel');
  const { errors } = await pay(vouchers, 32);
  if (Object.keys(errors).length > 0) throw new Error(`not all was paid: ${JSON.stringify(errors)}`);
  slices.push(...(await measure(`after ${vouchers.toLocaleString('en-US')} vouchers`)));
  await server.stop();
  copyRows(store, { table: 'channels', key: 'channel_id', rows: channels });
  server = await bench.own(startChannelServer(facilitator.url, store));
  await pay(1);
  slices.push(...(await measure(`among ${channels.toLocaleString('en-US')} channels`)));
  return slices;
}
