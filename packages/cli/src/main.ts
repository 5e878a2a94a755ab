import { isX402Error } from '@avm402/core/errors';
import { likelyName } from '@avm402/core/likely-name';
import { balance } from './balance.ts';
import { budget } from './budget.ts';
import type { Command } from './command.ts';
import { EXIT } from './words/exit-code.ts';
import { explain, explanationLines } from './words/explain.ts';
import { channelsClose, channelsList, channelsRecover } from './channels.ts';
import { doctor } from './doctor.ts';
import { fund } from './fund.ts';
import { history } from './history.ts';
import { keysNew, keysShowAddress } from './keys.ts';
import { mandateCreate } from './mandate/create.ts';
import { mandateAdd, mandateEnd, mandateList, mandateShow } from './mandate/manage.ts';
import { mandateSend } from './mandate/send.ts';
import { mcp } from './mcp.ts';
import { optin } from './optin.ts';
import { pay } from './pay.ts';
import { quote } from './quote.ts';
import { replay } from './replay.ts';
import { sign } from './sign.ts';
import type { Terminal } from './terminal.ts';

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  pay,
  quote,
  sign,
  history,
  budget,
  balance,
  optin,
  fund,
  'keys new': keysNew,
  'keys show-address': keysShowAddress,
  'mandate create': mandateCreate,
  'mandate show': mandateShow,
  'mandate add': mandateAdd,
  'mandate end': mandateEnd,
  'mandate list': mandateList,
  'mandate send': mandateSend,
  'channels list': channelsList,
  'channels close': channelsClose,
  'channels recover': channelsRecover,
  doctor,
  replay,
  mcp,
};

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`);
  return `Usage: avm402 COMMAND [options]

Pays for HTTP resources that answer 402, on Algorand (x402).

${lines.join('\n')}

avm402 COMMAND --help explains a command; avm402 --version prints the version.`;
}

/** Runs one command line; resolves to the exit code. */
export async function main(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  const [first = '--help'] = args;
  if (first === '--version' || first === '-v') return say(terminal, version);
  if (first === '--help' || first === '-h' || first === 'help') return say(terminal, usage());
  const [name, rest] = commandOf(args);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const family = Object.keys(COMMANDS).filter((known) => known.startsWith(`${name} `));
    if (family.length > 0) return helpOfFamily(family, asksForHelp(rest), terminal);
    return unknownCommand(name, terminal);
  }
  if (asksForHelp(rest)) return say(terminal, command.help);
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    return fail(error, { name, isJson: rest.includes('--json') }, terminal);
  }
}

/** `keys new` is one command of two words. */
function commandOf([first = '', second = '', ...rest]: readonly string[]): [string, readonly string[]] {
  const pair = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, pair)) return [pair, rest];
  return [first, second === '' ? [] : [second, ...rest]];
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

function unknownCommand(name: string, terminal: Terminal): number {
  const likely = likelyName(name, Object.keys(COMMANDS));
  const meant = likely === undefined ? '' : `; did you mean avm402 ${likely}?`;
  terminal.error(`avm402 has no command ${name}${meant}`);
  if (likely === undefined) terminal.error('', ...usage().split('\n'));
  return EXIT.usage;
}

/** Lists the commands of two words that share the first one. */
function helpOfFamily(family: readonly string[], isAsked: boolean, terminal: Terminal): number {
  const lines = family.map((name) => `  avm402 ${name.padEnd(18)} ${COMMANDS[name]?.summary ?? ''}`);
  if (isAsked) return say(terminal, lines.join('\n'));
  terminal.error(...lines);
  return EXIT.usage;
}

function say(terminal: Terminal, text: string): number {
  terminal.printText(text);
  return EXIT.done;
}

interface Called {
  readonly name: string;
  /** Whether the caller reads JSON. */
  readonly isJson: boolean;
}

function fail(error: unknown, { name, isJson }: Called, terminal: Terminal): number {
  if (isJson) terminal.printJson({ error: explain(error) });
  if (isX402Error(error, 'invalid_arguments')) {
    terminal.error(error.message, `avm402 ${name} --help explains the command`);
    return EXIT.usage;
  }
  terminal.error(...explanationLines(explain(error)));
  return EXIT.failed;
}
