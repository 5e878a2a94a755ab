import { onTestFinished } from 'vitest';
import type { DevelopmentNode, NodeOptions } from '../src/development-node.ts';
import { testNode } from './chain-fixture.ts';

/** A node on a chain of its own, which is closed after the test. */
export function startedNode(options: NodeOptions = {}): DevelopmentNode {
  const node = testNode(options);
  onTestFinished(() => node.close());
  return node;
}
