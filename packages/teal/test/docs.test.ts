import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { main } from '../src/cli/main.ts';
import { testWorld } from './cli/world.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/teal.md'), 'utf8');
const execute = promisify(execFile);

describe('docs/teal.md', () => {
  const examples = [...PAGE.matchAll(/```ts\n(.*?)```\s*```text\n(.*?)```/gs)];

  it('has four examples', () => {
    expect(examples).toHaveLength(4);
    expect([...PAGE.matchAll(/```ts\n/g)]).toHaveLength(4);
  });

  it.each(examples.map(([, code = '', shown = '']) => ({ code, shown })))(
    'shows code that runs, and what it prints ($#)',
    async ({ code, shown }) => {
      const args = ['--input-type=module-typescript', '--eval', code];
      const { stdout } = await execute(process.execPath, args, { cwd: join(import.meta.dirname, '..') });
      expect(stdout).toBe(shown);
    },
  );

  it('shows what the commands print', async () => {
    const source = /```teal\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
    const session = /```console\n(.*?)```/s.exec(PAGE)?.[1] ?? '';
    const world = testWorld({ 'limit.teal': source });
    const commands = [...session.matchAll(/^\$ avm402-teal (.*)$/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(2);
    let shown = '';
    for (const command of commands) {
      world.printed.length = 0;
      expect(await main(command.split(' '), world)).toBe(0);
      shown += `$ avm402-teal ${command}\n${world.printed.join('\n')}\n`;
    }
    expect(shown).toBe(session);
  });
});
