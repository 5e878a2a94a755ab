import { parseArgs } from 'node:util';
import { X402Error } from '@avm402/core/errors';
import { parseStoreConfig } from './config.ts';
import { backupSqliteStore } from '../stores/sqlite-backup.ts';
import type { Variables } from './variables.ts';

/**
 * `avm402-facilitator backup FILE`: copies the SQLite store, even while a facilitator works on it.
 * @throws X402Error `environment_invalid`, `store_unavailable`
 */
export function backupCommand(parameters: string[], variables: Variables): void {
  const [target, ...more] = parseArgs({
    args: parameters,
    allowPositionals: true,
    options: { config: { type: 'string' } },
  }).positionals;
  if (target === undefined || more.length > 0) {
    console.error('avm402-facilitator: name one file: avm402-facilitator backup FILE');
    process.exitCode = 2;
    return;
  }
  const config = parseStoreConfig(variables);
  if (config.kind === 'postgres') {
    throw new X402Error('environment_invalid', { message: 'DATABASE_URL: back PostgreSQL up with pg_dump' });
  }
  backupSqliteStore(config.path, target);
  console.log(`${config.path} is copied to ${target}`);
}
