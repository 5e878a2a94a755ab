import { X402Error } from '@avm402/core/errors';

/**
 * SQLite of Node, loaded when a store is opened: the rest of this package also loads on a Node that lacks it.
 * @throws X402Error `store_unavailable` on a Node without node:sqlite
 */
export function sqlite(): typeof import('node:sqlite') {
  const found = process.getBuiltinModule?.('node:sqlite');
  if (found !== undefined) return found;
  throw new X402Error('store_unavailable', {
    message: `settlement stores in memory and in SQLite need Node 24; this is Node ${process.versions.node}. createPostgresSettlementStore works without`,
    remedy: 'Use Node 24, or keep settlements in PostgreSQL.',
  });
}
