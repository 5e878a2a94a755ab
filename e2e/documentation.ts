import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** A command of a documentation page and the output shown below it. */
export interface ShownCommand {
  readonly command: string;
  /** Lines as shown; `…` stands for any text in a line, and alone for any lines. */
  readonly output: readonly string[];
}

/** Contents of the fenced blocks of one language, in order. */
export function fencedBlocks(page: string, language: string): string[] {
  const text = readFileSync(`${root}${page}`, 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, body = '']) => body);
}

/** All `$ command` lines of a page's console blocks, with what is shown below each. */
export function shownCommands(page: string): ShownCommand[] {
  return fencedBlocks(page, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const [command = '', ...output] = entry.trimEnd().split('\n');
        return { command, output };
      }),
  );
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
