import { main } from './cli/main.ts';
import { createTerminal, processWorld } from './cli/terminal.ts';
import { version } from './cli/version.ts';

process.exitCode = await main(process.argv.slice(2), version(), createTerminal(processWorld()));
