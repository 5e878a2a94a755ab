import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack';
import { startProgram, type Program } from '@avm402/stack/program';
import { drawFault, type FaultRates } from '../chaos/faults.ts';
import { type Fault, startFaultProxy } from '../fault-proxy.ts';
import { seededRandom } from '../random.ts';

/** A node, a facilitator, two processes of one shop, and the faulty lines between all of them. */
export interface Market {
  readonly nodeUrl: string;
  readonly facilitatorUrl: string;
  /** Either of the shops, through faults. */
  readonly url: string;
  /** A shop, past all faults. */
  readonly shopUrl: string;
  /** Where the shops note what their handlers did. */
  readonly runsFile: string;
  readonly payTo: string;
  /** Faults so far, between clients and shops. */
  readonly clientFaults: Readonly<Record<Fault, number>>;
  /** Faults so far, between shops and the facilitator. */
  readonly facilitatorFaults: Readonly<Record<Fault, number>>;
  stop(): Promise<void>;
}

const CLIENT_FAULTS: FaultRates = { 'drop-request': 0.05, 'drop-answer': 0.1, 'cut-answer': 0.07, delay: 0.08 };
const FACILITATOR_FAULTS: FaultRates = { 'drop-answer': 0.03, 'drop-request': 0.02, 'bad-gateway': 0.02 };
const BLOCK_TIME = '500ms';

const programs = {
  node: fileURLToPath(new URL('../../packages/devnode/bin/avm402-devnode.js', import.meta.url)),
  facilitator: fileURLToPath(new URL('../../packages/facilitator/bin/avm402-facilitator.js', import.meta.url)),
  shop: fileURLToPath(new URL('shop.ts', import.meta.url)),
};

export async function openMarket(seed: number): Promise<Market> {
  const { facilitator: sponsor, merchant } = developmentAccounts();
  const folder = await mkdtemp(join(tmpdir(), 'avm402-market-'));
  const open: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const close of open.toReversed()) await close();
  };
  const start = async (name: string, command: string[], environment: Record<string, string>): Promise<Program> => {
    const program = await startProgram({ name, command, environment });
    open.push(() => program.stop());
    return program;
  };
  /** Faults begin once everything runs. */
  let isOpen = false;
  const line = async (targets: () => string[], rates: FaultRates, random: () => number) => {
    const proxy = await startFaultProxy({ targets, fault: () => (isOpen ? drawFault(rates, random) : undefined) });
    open.push(() => proxy.stop());
    return proxy;
  };
  try {
    const node = await start(
      'avm402-devnode',
      [programs.node, '--port', '0', '--network', 'testnet', '--block-time', BLOCK_TIME],
      {},
    );
    const facilitator = await start('avm402-facilitator', [programs.facilitator], {
      ALGOD_URL: node.url,
      ALGOD_TOKEN: NODE_TOKEN,
      AVM_PRIVATE_KEY: sponsor.privateKey,
      SPONSOR_PAY_TO: merchant.address,
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      PORT: '0',
    });
    const random = seededRandom(seed);
    const toFacilitator = await line(() => [facilitator.url], FACILITATOR_FAULTS, random);
    const runsFile = join(folder, 'runs');
    const shopEnvironment = {
      FACILITATOR_URL: toFacilitator.url,
      PAY_TO: merchant.address,
      STORE: join(folder, 'redemptions.sqlite'),
      RUNS: runsFile,
    };
    const command = ['--conditions=@avm402/source', programs.shop];
    const shops = [await start('shop', command, shopEnvironment), await start('shop', command, shopEnvironment)];
    const urls = shops.map(({ url }) => url);
    const toShops = await line(() => (random() < 0.5 ? urls : urls.toReversed()), CLIENT_FAULTS, random);
    isOpen = true;
    return {
      nodeUrl: node.url,
      facilitatorUrl: facilitator.url,
      url: toShops.url,
      shopUrl: urls[0] ?? '',
      runsFile,
      payTo: merchant.address,
      clientFaults: toShops.counts,
      facilitatorFaults: toFacilitator.counts,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
