import { keysOf } from '../market/buying.ts';
import { startClient } from '../market/client.ts';
import { copyRows } from '../market/copy-rows.ts';
import { startNode } from '../market/node.ts';
import { BY_CHANNEL, startChannelServer, startFacilitator } from '../market/roles.ts';
import type { Bench, Scenario } from '../scenario.ts';

export interface ChannelAges {
  /** Requests of a slice. */
  readonly requests: number;
  /** Vouchers that the channel has paid by before the second case. */
  readonly vouchers: number;
  /** Open channels in the seller's record in the third. */
  readonly channels: number;
}

export const channelGrowth: Scenario = {
  name: 'channel-growth',
  fullSeconds: 130,
  targets: [],
  run: (bench) =>
    measureAges(
      bench,
      bench.full
        ? { requests: 2_000, vouchers: 200_000, channels: 100_000 }
        : { requests: 200, vouchers: 5_000, channels: 5_000 },
    ),
};

/** Pays by a new channel, by one that has paid for much, and by one of many. */
export async function measureAges(bench: Bench, { requests, vouchers, channels }: ChannelAges): Promise<void> {
  const folder = await bench.folder();
  const node = await bench.own(startNode('instant'));
  const facilitator = await bench.own(startFacilitator('ours', node, folder));
  const client = await bench.own(startClient('ours', { ...node.environment, ...BY_CHANNEL }));
  let server = await bench.own(startChannelServer(facilitator.url, folder));
  const pay = async (operations: number, workers = 1) => {
    const privateKeys = Array.from({ length: workers }).flatMap(() => keysOf(1));
    return client.run({ url: `${server.url}/weather`, privateKeys, operations });
  };
  const measure = async (name: string): Promise<void> => {
    const sides = [{ name: 'ours', pids: [client.pid, server.pid], run: () => pay(requests) }] as const;
    await pay(1);
    await bench.compare({ case: name, sides, rounds: 5, warmUpMs: 5_000 });
  };
  await measure('a new channel');
  const { errors } = await pay(vouchers, 32);
  if (Object.keys(errors).length > 0) throw new Error(`not all was paid: ${JSON.stringify(errors)}`);
  await measure(`after ${vouchers.toLocaleString('en-US')} vouchers`);
  await server.stop();
  copyRows(`${folder}/channels.sqlite`, { table: 'channels', key: 'channel_id', rows: channels });
  server = await bench.own(startChannelServer(facilitator.url, folder));
  await measure(`among ${channels.toLocaleString('en-US')} channels`);
}
