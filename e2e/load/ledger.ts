import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programFiles } from '@avm402/stack/programs';

const run = promisify(execFile);
const MAX_BYTES = 1_000_000_000;

/** TxIDs of what a store's ledger has as confirmed, as `avm402-facilitator settlements` writes them. */
export async function confirmedIn(database: string): Promise<string[]> {
  const parameters = [programFiles.facilitator, 'settlements', '--state', 'confirmed', '--json'];
  const options = { env: { DATABASE_URL: database }, maxBuffer: MAX_BYTES };
  const { stdout } = await run(process.execPath, parameters, options);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { readonly transaction: string }).transaction);
}
