import { readFileSync } from 'node:fs';
import { main } from './cli/main.ts';

/** Entry of the program `avm402`. */
export async function run(): Promise<void> {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { version } = manifest as { version: string };
  process.exitCode = await main(process.argv.slice(2), version, {
    environment: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
  });
}
