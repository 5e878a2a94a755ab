import { join } from 'node:path';
import { drawFault, type FaultRates } from '@avm402/testkit/faults';
import { type Fault, startFaultProxy } from '@avm402/testkit/fault-proxy';
import { seededRandom } from '@avm402/testkit/random';
import type { HandlerRun } from './evidence.ts';
import { openPrograms } from './programs.ts';

/** A node, a facilitator, two processes of one shop, and the faulty lines between all of them. */
export interface Market {
  readonly nodeUrl: string;
  readonly facilitatorUrl: string;
  /** Either of the shops, through faults. */
  readonly url: string;
  /** Ends the faults. */
  readonly calm: () => void;
  /** The runs of the shops' handlers. */
  readonly runs: () => Promise<HandlerRun[]>;
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

export async function openMarket(seed: number): Promise<Market> {
  const programs = await openPrograms();
  /** Faults begin once everything runs. */
  let isOpen = false;
  const line = async (targets: () => string[], rates: FaultRates, random: () => number) =>
    programs.keep(await startFaultProxy({ targets, fault: () => (isOpen ? drawFault(rates, random) : undefined) }));
  try {
    const node = await programs.node('--block-time', BLOCK_TIME);
    const facilitator = await programs.facilitator(node, {
      SETTLEMENT_STORE: join(programs.folder, 'settlements.sqlite'),
    });
    const random = seededRandom(seed);
    const toFacilitator = await line(() => [facilitator.url], FACILITATOR_FAULTS, random);
    const shopOptions = { facilitators: [toFacilitator], store: join(programs.folder, 'redemptions.sqlite') };
    const urls = [(await programs.shop(shopOptions)).url, (await programs.shop(shopOptions)).url];
    const toShops = await line(() => (random() < 0.5 ? urls : urls.toReversed()), CLIENT_FAULTS, random);
    isOpen = true;
    return {
      nodeUrl: node.url,
      facilitatorUrl: facilitator.url,
      url: toShops.url,
      calm: () => {
        isOpen = false;
      },
      runs: () => programs.runs(),
      payTo: programs.payTo,
      clientFaults: toShops.counts,
      facilitatorFaults: toFacilitator.counts,
      stop: () => programs.stop(),
    };
  } catch (error) {
    await programs.stop();
    throw error;
  }
}
