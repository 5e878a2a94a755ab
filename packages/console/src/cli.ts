import { parseArgs } from 'node:util';
import { isX402Error } from '@avm402/core/errors';
import { readEnvironment } from './environment.ts';
import { startConsole } from './start-console.ts';
import { version } from './version.ts';

const HELP = `Usage: avm402-console

Shows payments as they happen, and the chain they are settled on, in a browser. It listens on this machine only.

Environment; by default the roles of npm run dev
  ALGOD_URL         the node (default http://127.0.0.1:4001)
  ALGOD_TOKEN       its API token (default: that of development, 64 times a)
  FACILITATOR_URL   the facilitator (default http://127.0.0.1:4022)
  FACILITATOR_KEY   a key of the facilitator's callers file, for the ledger of settlements (default: none)
  RESOURCE_URL      what the button pays for (default http://127.0.0.1:4021/weather)
  PORT              where it listens (default 4023; port 0: any)

Options
  -h, --help        show this
  -v, --version     show the version`;

/** Exit code for wrong usage. */
const WRONG_CALL = 2;

async function serve(): Promise<void> {
  const { roles, port } = readEnvironment(process.env);
  const running = await startConsole({ roles, port });
  const stop = (): void => void running.stop().then(() => process.exit(0));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  console.log(`avm402-console listening on ${running.url}`);
}

function exit(code: number, error: unknown): never {
  console.error(`avm402-console: ${error instanceof Error ? error.message : String(error)}`);
  if (isX402Error(error)) console.error(`  ${error.remedy}`);
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    console.error('  Stop the program that uses it, or choose another port with PORT.');
  process.exit(code);
}

function wanted() {
  try {
    const flags = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } } as const;
    return parseArgs({ options: flags }).values;
  } catch (error) {
    return exit(WRONG_CALL, error);
  }
}

const { help, version: isVersionWanted } = wanted();
if (help === true) console.log(HELP);
else if (isVersionWanted === true) console.log(version());
else await serve().catch((error: unknown) => exit(1, error));
