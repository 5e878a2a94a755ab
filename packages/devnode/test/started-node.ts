import { afterEach } from 'vitest';
import type { DevelopmentNode, NodeOptions } from '../src/development-node.ts';
import { testNode } from './chain-fixture.ts';

const nodes: DevelopmentNode[] = [];
afterEach(() => {
  for (const node of nodes.splice(0)) node.close();
});

/** A node on a chain of its own, which is closed after the test. */
export function startedNode(options: NodeOptions = {}): DevelopmentNode {
  const node = testNode(options);
  nodes.push(node);
  return node;
}
