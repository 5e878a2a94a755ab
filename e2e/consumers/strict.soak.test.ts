import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fencedBlocks } from '../documentation/pages.ts';
import { consumerFolder } from './packed.ts';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');
/** The programs of the page, by what they are for. */
const programs = new Map(
  [...page.matchAll(/^## ([^\n]+)\n+```ts\n(.*?)^```$/gms)].map(([, name = '', code = '']) => [name, code]),
);
const files = [...page.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)].map(
  ([, name = '', code = '']) => [name, code] as const,
);

const TOOLS = { typescript: '~5.9.0', '@types/node': '^24.0.0' };
const STRICT = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  allowImportingTsExtensions: true,
};

/** The types of Koa don't fit those of a newer package that they import. */
const KOAS_OWN = 'node_modules/@types/koa/index.d.ts(';

/** Checks programs in a folder that has the packed packages and, beside them, only what is named. */
function check(installed: Readonly<Record<string, string>>, sources: ReadonlyMap<string, string>): string {
  const folder = consumerFolder();
  for (const [name, code] of sources) {
    mkdirSync(join(folder.path, 'src', dirname(name)), { recursive: true });
    folder.write(join('src', name), code);
  }
  folder.write('tsconfig.json', JSON.stringify({ compilerOptions: STRICT, include: ['src'] }));
  folder.install({ ...installed, ...TOOLS });
  try {
    return folder.run('npx', ['tsc', '-p', '.']);
  } catch (error) {
    return String(Reflect.get(Object(error), 'stdout'))
      .split('\n')
      .filter((line) => !line.startsWith(KOAS_OWN))
      .join('\n');
  }
}

describe('the programs of docs/frameworks.md, strict and with the types of all libraries checked', () => {
  const named = (...names: readonly string[]): Map<string, string> =>
    new Map(names.map((name) => [`${name.replaceAll(/\W/g, '-')}.ts`, programs.get(name) ?? '']));

  it('need no types of Express where it is not used', () => {
    const others = named('Fastify', 'Hono', 'node:http', 'Koa', 'Request and Response');
    const installed = {
      fastify: '^5.0.0',
      hono: '^4.0.0',
      '@hono/node-server': '^2.0.0',
      koa: '^3.0.0',
      '@types/koa': '^3.0.0',
    };
    expect([...others.values()]).not.toContain('');
    expect(check(installed, new Map([...others, ...files]))).toBe('');
  });

  it('check with Express, and so does what docs/start.md sells', () => {
    const [seller = ''] = fencedBlocks('docs/start.md', 'ts');
    const installed = { express: '^5.0.0', '@types/express': '^5.0.0' };
    expect(check(installed, new Map([...named('Express'), ['start.ts', seller]]))).toBe('');
  });
});
