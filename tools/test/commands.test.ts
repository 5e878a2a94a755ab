import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Commands with what they do, by a pattern that finds both in a line. */
function commandsIn(text: string, line: RegExp): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(line)].map(([, name = '', does = '']) => [name, does.replaceAll('`', '')]),
  );
}

it('CONTRIBUTING lists every command, in the words of its help', () => {
  const help = execFileSync(process.execPath, ['tools/run.mjs', '--help'], { cwd: root, encoding: 'utf8' });
  const listed = commandsIn(readFileSync(`${root}CONTRIBUTING.md`, 'utf8'), /^\| `(npm [^`]+)` *\| (.*?) *\|$/gm);
  expect(listed).toEqual(commandsIn(help, /^ {2}(npm (?:run )?\S+) +(.*)$/gm));
  expect(Object.keys(listed)).toContain('npm run soak:nodes');
});
