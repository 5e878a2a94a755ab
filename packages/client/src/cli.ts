import { readFileSync } from 'node:fs';
import { main } from './cli/main.ts';
import { createTerminal, processWorld } from './cli/terminal.ts';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { version } = manifest as { version: string };
process.exitCode = await main(process.argv.slice(2), version, createTerminal(processWorld()));
