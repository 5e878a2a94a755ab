import { main } from './main.ts';
import { createTerminal, processWorld } from './command/terminal.ts';
import { version } from './version.ts';

process.exitCode = await main(process.argv.slice(2), version(), createTerminal(processWorld()));
