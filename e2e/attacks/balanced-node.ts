import { type NodeAnswer, startNodeLine } from '../node-line.ts';
import type { Served } from '../served.ts';

/** Two nodes behind one address, as a public provider has them. One of them may lag. */
export interface BalancedNode extends Served {
  /** Whether the node that lags is asked about accounts: it tells what was true when it was asked first. */
  lags: boolean;
}

/** Serves the node at `nodeUrl`, and what it told of accounts before. */
export async function startBalancedNode(nodeUrl: string): Promise<BalancedNode> {
  const earlier = new Map<string, NodeAnswer>();
  const node = { lags: false };
  const line = await startNodeLine(nodeUrl, async ({ path }, ask) => {
    const now = await ask();
    if (path.startsWith('/v2/accounts/') && !earlier.has(path)) earlier.set(path, now);
    return (node.lags && earlier.get(path)) || now;
  });
  return Object.assign(node, line);
}
