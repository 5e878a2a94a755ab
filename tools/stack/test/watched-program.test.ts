import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { runWatched } from '../src/watched-program.ts';

const folder = await mkdtemp(join(tmpdir(), 'avm402-watched-'));
const log = await mkdtemp(join(tmpdir(), 'avm402-watched-log-'));
afterAll(() => Promise.all([folder, log].map((one) => rm(one, { recursive: true }))));

it('a program starts anew each time that one of its files is saved, also by an editor that saves by rename', async () => {
  const source = join(folder, 'word.mjs');
  const said = join(log, 'said');
  const saves: ((text: string) => Promise<void>)[] = [
    async (text) => {
      await writeFile(`${source}.new`, text);
      await rename(`${source}.new`, source);
    },
    (text) => writeFile(source, text),
  ];
  await writeFile(source, "export const word = 'first ';");
  const main = join(folder, 'main.mjs');
  await writeFile(
    main,
    `import { appendFileSync } from 'node:fs';
     import { word } from './word.mjs';
     appendFileSync(${JSON.stringify(said)}, word);
     setInterval(() => {}, 1000);`,
  );
  const stopped = new AbortController();
  const running = runWatched({ command: [main], environment: {}, folders: [folder] }, stopped.signal);
  let expected = 'first ';
  for (const [index, save] of [...saves, ...saves].entries()) {
    await vi.waitFor(async () => expect(await readFile(said, 'utf8')).toBe(expected), 10_000);
    await save(`export const word = '${index} ';`);
    expected += `${index} `;
  }
  await vi.waitFor(async () => expect(await readFile(said, 'utf8')).toBe(expected), 10_000);
  stopped.abort();
  await running;
});
