import { isX402Error } from '@avm402/core/errors';
import { likelyName } from '@avm402/core/likely-name';
import type { Command } from './command/command.ts';
import type { Terminal } from './command/terminal.ts';
import { EXIT } from './words/exit-code.ts';
import { explain, explanationLines } from './words/explain.ts';

/** Every command by its name. Its code, and what it imports, is loaded when it is called. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  pay: async () => (await import('./pay.ts')).pay,
  quote: async () => (await import('./quote.ts')).quote,
  sign: async () => (await import('./sign.ts')).sign,
  history: async () => (await import('./history.ts')).history,
  budget: async () => (await import('./budget.ts')).budget,
  balance: async () => (await import('./balance.ts')).balance,
  optin: async () => (await import('./optin.ts')).optin,
  fund: async () => (await import('./fund.ts')).fund,
  'keys new': async () => (await import('./keys.ts')).keysNew,
  'keys show-address': async () => (await import('./keys.ts')).keysShowAddress,
  'mandate create': async () => (await import('./mandate/create.ts')).mandateCreate,
  'mandate show': async () => (await import('./mandate/show.ts')).mandateShow,
  'mandate add': async () => (await import('./mandate/add.ts')).mandateAdd,
  'mandate end': async () => (await import('./mandate/end.ts')).mandateEnd,
  'mandate list': async () => (await import('./mandate/list.ts')).mandateList,
  'mandate send': async () => (await import('./mandate/send.ts')).mandateSend,
  'channels list': async () => (await import('./channels.ts')).channelsList,
  'channels close': async () => (await import('./channels.ts')).channelsClose,
  'channels recover': async () => (await import('./channels.ts')).channelsRecover,
  doctor: async () => (await import('./doctor.ts')).doctor,
  replay: async () => (await import('./replay.ts')).replay,
  mcp: async () => (await import('./mcp.ts')).mcp,
};

async function usage(): Promise<string> {
  const lines = await summaries(Object.keys(COMMANDS), '  ');
  return `Usage: avm402 COMMAND [options]

Pays for HTTP resources that answer 402, on Algorand (x402).

${lines.join('\n')}

avm402 COMMAND --help explains a command; avm402 --version prints the version.`;
}

async function summaries(names: readonly string[], before: string): Promise<string[]> {
  const named = names.map(async (name) => `${before}${name.padEnd(18)} ${(await COMMANDS[name]?.())?.summary ?? ''}`);
  return Promise.all(named);
}

/** Runs one command line; resolves to the exit code. */
export async function main(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  const [first = '--help'] = args;
  if (first === '--version' || first === '-v') return say(terminal, version);
  if (first === '--help' || first === '-h' || first === 'help') return say(terminal, await usage());
  const [name, rest] = commandOf(args);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    const family = Object.keys(COMMANDS).filter((known) => known.startsWith(`${name} `));
    if (family.length > 0) return helpOfFamily(family, asksForHelp(rest), terminal);
    return unknownCommand(name, terminal);
  }
  const command = await load();
  if (asksForHelp(rest)) return say(terminal, command.help);
  try {
    return await written(await command.run(rest, terminal), terminal);
  } catch (error) {
    return fail(error, { name, isJson: rest.includes('--json') }, terminal);
  }
}

/** The exit code, once the output has left: work that was done is not called failed if only its output is lost. */
async function written(exitCode: number, terminal: Terminal): Promise<number> {
  const lost = await terminal.written();
  if (lost === undefined) return exitCode;
  terminal.error(`the output could not be written: ${lost.message}`);
  return exitCode === EXIT.done ? EXIT.unwritten : exitCode;
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

async function unknownCommand(name: string, terminal: Terminal): Promise<number> {
  const likely = likelyName(name, Object.keys(COMMANDS));
  const meant = likely === undefined ? '' : `; did you mean avm402 ${likely}?`;
  terminal.error(`avm402 has no command ${name}${meant}`);
  if (likely === undefined) terminal.error('', ...(await usage()).split('\n'));
  return EXIT.usage;
}

/** Lists the commands of two words that share the first one. */
async function helpOfFamily(family: readonly string[], isAsked: boolean, terminal: Terminal): Promise<number> {
  const lines = await summaries(family, '  avm402 ');
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
  return isX402Error(error, 'payment_outcome_unknown') ? EXIT.unknown : EXIT.failed;
}
