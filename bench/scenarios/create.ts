import { keysOf } from '../market/buying.ts';
import { startClient } from '../market/client.ts';
import type { Side } from '../measure/compare.ts';
import { NODE_CALLS, RATE } from '../measure/figures.ts';
import { startNode } from '../market/node.ts';
import { MAKES } from '../market/roles.ts';
import type { Scenario } from '../scenario.ts';

const CREATE = 'sponsored';

export const create: Scenario = {
  name: 'create',
  fullSeconds: 20,
  targets: [
    { case: CREATE, figure: RATE, kind: 'times', wanted: 10 },
    { case: CREATE, figure: NODE_CALLS, kind: 'atMost', wanted: 0.01 },
  ],
  async run(bench) {
    const node = await bench.own(startNode('manual'));
    const sides: Side[] = [];
    for (const make of MAKES) {
      const client = await bench.own(startClient(make, node.environment));
      const job = { privateKeys: keysOf(1), operations: (make === 'ours' ? 5000 : 300) / (bench.full ? 1 : 5) };
      sides.push({ name: make, pids: [client.pid], run: () => client.run(job) });
    }
    await bench.compare({ case: CREATE, sides, rounds: 9, warmUpMs: 5_000, nodeCalls: node.calls });
  },
};
