import { parseAccount } from '@avm402/algorand/account';
import { MandateSlots, mandateWallet } from '@avm402/avm/mandate';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import { openMandate } from '@avm402/stack/open-mandate';
import { cpuBeside } from '../measure/cpu-beside.ts';
import { type BenchNode, startNode } from '../market/node.ts';
import { facilitatorSide } from '../market/payments.ts';
import { payers } from '../market/accounts.ts';
import { startFacilitator } from '../market/roles.ts';
import type { Scenario } from '../scenario.ts';

const OF_PLAIN = '× CPU of plain';

/** One facilitator settles payments by mandate and by key in turn. */
export const mandate: Scenario = {
  name: 'mandate',
  fullSeconds: 50,
  targets: [{ case: 'settle', figure: OF_PLAIN, kind: 'atMost', wanted: 1.3 }],
  async run(bench) {
    const node = await bench.own(startNode('each'));
    const facilitator = await bench.own(startFacilitator('ours', node, await bench.folder()));
    const pids = [facilitator.pid];
    const what = { node, workers: 1, count: 100, endpoints: ['verify', 'settle'] } as const;
    const plain = facilitatorSide(facilitator, what);
    let byMandate = plain;
    const beside = cpuBeside(OF_PLAIN, plain, { pids, run: () => byMandate.run() });
    const prepare = async (): Promise<void> => {
      byMandate = facilitatorSide(facilitator, { ...what, payer: await openedWallet(node) });
      await plain.prepare?.();
      await byMandate.prepare?.();
      await beside.prepare();
    };
    await bench.compare({
      case: 'settle',
      sides: [{ ...beside, name: 'ours', prepare }],
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
