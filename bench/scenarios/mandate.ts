import { parseAccount } from '@avm402/algorand/account';
import { MandateSlots, mandateWallet } from '@avm402/avm/mandate';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import { openMandate } from '@avm402/stack/open-mandate';
import { cpuMs } from '../compare.ts';
import type { LoadResult } from '../load.ts';
import { type BenchNode, startNode } from '../node.ts';
import { posting } from '../payments.ts';
import { payers } from '../accounts.ts';
import { startFacilitator } from '../roles.ts';
import type { Scenario } from '../scenario.ts';

const OF_PLAIN = '× CPU of plain';

/** Settling payments by mandate and by key, in turn, at one facilitator. */
export const mandate: Scenario = {
  name: 'mandate',
  fullSeconds: 50,
  targets: [{ case: 'settle', figure: OF_PLAIN, kind: 'atMost', wanted: 1.3 }],
  async run(bench) {
    const node = await bench.own(startNode('each'));
    const facilitator = await bench.own(startFacilitator('ours', node, await bench.folder()));
    const pids = [facilitator.pid];
    const what = { node, workers: 1, count: 100, endpoints: ['verify', 'settle'] } as const;
    const plain = posting(facilitator, what);
    let plainMs = 0;
    let byMandate = plain;
    const settledPlain = async (): Promise<void> => {
      byMandate = posting(facilitator, { ...what, payer: await openedWallet(node) });
      await plain.prepare?.();
      await byMandate.prepare?.();
      const before = cpuMs(pids);
      await plain.run();
      plainMs = cpuMs(pids) - before;
    };
    const settleByMandate = async (): Promise<LoadResult> => {
      const before = cpuMs(pids);
      const result = await byMandate.run();
      return { ...result, figures: { [OF_PLAIN]: (cpuMs(pids) - before) / plainMs } };
    };
    await bench.compare({
      case: 'settle',
      sides: [{ name: 'ours', pids, prepare: settledPlain, run: settleByMandate }],
      rounds: 9,
      warmUpMs: 10_000,
      nodeCalls: node.calls,
    });
  },
};

/** A new mandate, whose slots are enough for a slice of one round each. */
async function openedWallet({ url, environment }: BenchNode): Promise<TransactionWallet> {
  const owner = parseAccount(payers[1]?.privateKey ?? '');
  const terms = { owner, slots: 1_000n, funds: 1_000_000n, cap: 10_000n };
  const { config, agentKey } = await openMandate({ url, token: environment.ALGOD_TOKEN }, terms);
  const slots = new MandateSlots(config.slots);
  return mandateWallet({ mandate: config, agent: agentKey, takeSlot: (...window) => slots.take(...window) });
}
