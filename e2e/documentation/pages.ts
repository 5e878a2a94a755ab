import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Pages whose programs pay. */
export const PAYING_PAGES = [
  'packages/client/README.md',
  'packages/cli/README.md',
  'docs/client.md',
  'docs/mcp.md',
  'docs/mandates.md',
  'docs/how-to/pay-with-another-http-client.md',
] as const;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A command of a documentation page and the output shown below it. */
export interface ShownCommand {
  readonly command: string;
  /** Lines as shown; `…` stands for any text in a line, and alone for any lines. */
  readonly output: readonly string[];
}

/** The text of a page of the repository. */
export function pageText(page: string): string {
  return readFileSync(`${root}${page}`, 'utf8');
}

/** The text below a heading, up to the next one of its level or above; subsections are part of it. */
export function sectionOf(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const [, below] = text.split(`\n${heading}\n`);
  if (below === undefined) throw new Error(`the page has no "${heading}"`);
  const [section = ''] = below.split(new RegExp(`^#{1,${level}} `, 'm'));
  return section;
}

/** Contents of a text's fenced blocks of one language, in order; a name may follow the language, as in `ts buyer.ts`. */
export function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, body = '']) => body);
}

/** Contents of a page's fenced blocks of one language, in order. */
export function fencedBlocks(page: string, language: string): string[] {
  return blocksIn(pageText(page), language);
}

/** The commands that a text names within its sentences: those of these programs. */
export function commandsIn(text: string, ...programs: readonly string[]): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll('\n', ' '))
    .filter((code) => programs.some((program) => code.startsWith(`${program} `)));
}

/** All `$ command` lines of a text's console blocks, with what is shown below each. */
export function shownCommandsIn(text: string): ShownCommand[] {
  return blocksIn(text, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const [command = '', ...output] = entry.trimEnd().split('\n');
        return { command, output };
      }),
  );
}

/** All `$ command` lines of a page's console blocks, with what is shown below each. */
export function shownCommands(page: string): ShownCommand[] {
  return shownCommandsIn(pageText(page));
}

/**
 * The first line that a program's comments promise, behind its calls of console.log, and that it did not print;
 * undefined if it printed all.
 * @throws Error if it promises nothing
 */
export function brokenPromise(code: string, stdout: string): string | undefined {
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text = '']) => text);
  if (promised.length === 0) throw new Error('the program promises no output');
  // An output that console.log spreads over lines is compared as one line.
  return firstDifference(promised, stdout.replaceAll(/\n\s+/g, ' ').replaceAll(/\n\}/g, ' }'));
}

/** The first shown line that the real output lacks, in order; undefined if everything shown happened. */
export function firstDifference(shown: readonly string[], real: string): string | undefined {
  const lines = real.split(/\r?\n/);
  let position = 0;
  for (const line of shown) {
    if (line.trim() === '…') continue;
    const found = lines.findIndex((candidate, index) => index >= position && pattern(line).test(candidate));
    if (found < 0) return line;
    position = found + 1;
  }
  return undefined;
}

function pattern(line: string): RegExp {
  const parts = line
    .trimEnd()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}\\s*$`);
}
