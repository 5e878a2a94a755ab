import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAMS: readonly { readonly name: string; readonly file: string }[] = [
  { name: 'avm402', file: 'cli/bin/avm402.js' },
  { name: 'avm402-facilitator', file: 'facilitator/bin/avm402-facilitator.js' },
  { name: 'avm402-devnode', file: 'devnode/bin/avm402-devnode.js' },
  { name: 'avm402-console', file: 'console/bin/avm402-console.js' },
  { name: 'avm402-teal', file: 'teal/bin/avm402-teal.js' },
];

/** A page with the `--help` output of each program and each of its commands. */
export function commandsReference(): string {
  const sections = PROGRAMS.flatMap(({ name, file }) => {
    const usage = helpOf(file, []);
    const commands = usage.includes(`${name} COMMAND --help`) ? commandsIn(usage) : [];
    return [
      `## ${name}\n\n${fenced(usage)}`,
      ...commands.map((command) => `### ${name} ${command}\n\n${fenced(helpOf(file, command.split(' ')))}`),
    ];
  });
  return ['# Commands', 'What each program says of itself.', ...sections].join('\n\n');
}

/** The names of the commands; each has its own line, with its description. */
function commandsIn(usage: string): string[] {
  return [...usage.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) {2,}\S/gm)].map(([, command = '']) => command);
}

function helpOf(file: string, command: readonly string[]): string {
  const path = fileURLToPath(new URL(`../../packages/${file}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...command, '--help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${command.join(' ')} --help ended with ${status}: ${stderr}`);
  return stdout.trimEnd();
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}
