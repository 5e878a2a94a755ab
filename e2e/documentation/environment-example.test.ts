import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Variables that a part of .env.example names, also where it only suggests them: `# NAME=`. By the part's title. */
function namedVariables(): ReadonlyMap<string, readonly string[]> {
  const [, ...parts] = readFileSync(path('.env.example'), 'utf8').split(/^# --- /m);
  return new Map(
    parts.map((part) => {
      const [title = ''] = part.split(' ---', 1);
      return [title, [...part.matchAll(/^(?:# ?)?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name)];
    }),
  );
}

function help(program: string, args: readonly string[]): string {
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
  const { stdout, stderr, status } = spawnSync(process.execPath, [path(program), ...args], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const PROGRAMS = [
  ['client (avm402)', 'packages/cli/bin/avm402.js', ['pay', '--help']],
  ['resource server (weather)', 'apps/weather/dist/main.js', ['--help']],
  ['facilitator (avm402-facilitator)', 'packages/facilitator/bin/avm402-facilitator.js', ['--help']],
] as const;

describe('.env.example', () => {
  it('has a part for each program that is configured by the environment, and no other', () => {
    expect([...namedVariables().keys()]).toEqual(PROGRAMS.map(([title]) => title));
  });

  it.each(PROGRAMS)('%s: the program knows each variable that is named, and says so with --help', (title, ...call) => {
    const text = help(...call);
    const named = namedVariables().get(title) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });
});
