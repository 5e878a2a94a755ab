import { CommandError, EXIT, UsageError, type Command } from './command.ts';
import { compile } from './compile.ts';
import { disassemble } from './disassemble.ts';
import { run } from './run.ts';
import { version } from '../cli-version.ts';
import type { World } from './world.ts';

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['compile', compile],
  ['disassemble', disassemble],
  ['run', run],
]);

function usage(): string {
  const lines = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`);
  return `Usage: avm402-teal COMMAND FILE [options]

Assembles, disassembles and runs programs of Algorand's machine, without a node.

${lines.join('\n')}

For details: avm402-teal COMMAND --help; avm402-teal --version.`;
}

/** Runs one command line; resolves to the exit code. */
export async function main(args: readonly string[], world: World): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (name === '--version' || name === '-v') return say(world, version());
  if (name === '--help' || name === '-h' || name === 'help') return say(world, usage());
  const command = COMMANDS.get(name);
  if (command === undefined) {
    world.printError(`avm402-teal has no command ${name}\n\n${usage()}`);
    return EXIT.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) return say(world, command.help);
  try {
    return await command.run(rest, world);
  } catch (error) {
    return fail(error, name, world);
  }
}

function say(world: World, text: string): number {
  world.print(text);
  return EXIT.done;
}

function fail(error: unknown, name: string, world: World): number {
  if (error instanceof UsageError) {
    world.printError(`${error.message}\nFor details: avm402-teal ${name} --help`);
    return EXIT.usage;
  }
  if (!(error instanceof CommandError)) throw error;
  world.printError(error.message);
  return EXIT.failed;
}
