import { isX402Error } from '@avm402/core/errors';
import { isAlgorandError } from '@avm402/algorand/errors';
import { pay, payHelp } from './pay.ts';
import type { Terminal } from './terminal.ts';

const commands = { pay: { run: pay, help: payHelp, does: 'ask for a URL and pay what it costs' } } as const;

function usage(): string {
  const lines = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(12)} ${does}`);
  return `usage: avm402 COMMAND [options]\n\n${lines.join('\n')}\n\navm402 COMMAND --help tells more; avm402 --version.`;
}

/** Runs one command line; resolves to the exit code. */
export async function main(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (name === '--version') return said(terminal, version);
  if (name === '--help' || name === 'help') return said(terminal, usage());
  if (!isCommand(name)) {
    terminal.error(`avm402 has no command ${name}\n\n${usage()}`);
    return 2;
  }
  const command = commands[name];
  if (rest.includes('--help')) return said(terminal, command.help);
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    terminal.error(explain(error));
    return 1;
  }
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name);
}

function said(terminal: Terminal, text: string): number {
  terminal.print(text);
  return 0;
}

/** An error in words: what was wrong, what to do; never a stack. */
function explain(error: unknown): string {
  if (isX402Error(error)) return `${error.code}: ${error.message}\n${error.remedy}`;
  if (isAlgorandError(error)) return `${error.code}: ${error.message}`;
  if (error instanceof TypeError && error.cause instanceof Error) return `request_failed: ${error.cause.message}`;
  return error instanceof Error ? error.message : String(error);
}
