import { DevnodeError } from './errors.ts';
import type { Node, NodeOptions } from './node.ts';

/** Boots a node from its genesis. Throws `invalid_genesis` or `invalid_options`. */
export function createNode(options: NodeOptions = {}): Node {
  throw new DevnodeError('unsupported', `not there yet: ${Object.keys(options).join()}`);
}
