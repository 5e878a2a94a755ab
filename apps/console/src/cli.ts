import { parseArgs } from 'node:util';
import { isX402Error } from '@avm402/core/errors';
import { readEnvironment } from './environment.ts';
import { startConsole } from './start-console.ts';

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
  -h, --help        show this`;

/** Exit code of a program that is called wrongly. */
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
  process.exit(code);
}

let isHelpWanted = false;
try {
  isHelpWanted = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help === true;
} catch (error) {
  exit(WRONG_CALL, error);
}
if (isHelpWanted) console.log(HELP);
else await serve().catch((error: unknown) => exit(1, error));
