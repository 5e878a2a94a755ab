import { globSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BOUNDARIES } from '../boundaries.ts';
import { importsOf } from './imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rows = Object.entries(BOUNDARIES).map(([folder, boundary]) => ({ folder, ...boundary }));

/** The source files of a folder with their imports, by paths from the repository's root. */
function sourcesOf(folder: string): { readonly file: string; readonly imports: readonly string[] }[] {
  return globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root }).map((file) => {
    return { file, imports: importsOf(readFileSync(join(root, file), 'utf8')) };
  });
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function allows(allowed: string, specifier: string): boolean {
  return packageOf(specifier) === allowed || new RegExp(`^${allowed.replace('*', '[^/]+')}$`).test(specifier);
}

/** Whether the table restricts the import: our packages, the published x402 packages, Node's modules. */
function isBounded(specifier: string): boolean {
  return /^(@avm402\/|@x402|algosdk$|node:)/.test(specifier) || builtinModules.includes(specifier);
}

function mayImport(folder: string, file: string, specifier: string): boolean {
  const { imports, browser, besides } = BOUNDARIES[folder] ?? { imports: [] };
  const isNode = !specifier.includes('@') && isBounded(specifier);
  const more = besides !== undefined && file.startsWith(`${folder}/${besides.files}`) ? besides.imports : [];
  if (isNode) return browser !== true || more.includes('node:*');
  return [...imports, ...more].some((allowed) => allows(allowed, specifier));
}

describe('package boundaries', () => {
  it('has a row for each package and each app that is a role', () => {
    const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
    expect(new Set(rows.map(({ folder }) => folder))).toEqual(new Set([...packages, 'apps/weather']));
  });

  it.each(rows)('$folder imports only what the table allows', ({ folder }) => {
    const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { name: string };
    const forbidden = sourcesOf(folder).flatMap(({ file, imports }) =>
      imports
        .filter((specifier) => isBounded(specifier) && packageOf(specifier) !== name)
        .filter((specifier) => !mayImport(folder, file, specifier))
        .map((specifier) => `${file}: ${specifier}`),
    );
    expect(forbidden).toEqual([]);
  });

  it.each(rows)('$folder needs all that the table allows', ({ folder, imports, besides }) => {
    const all = sourcesOf(folder).flatMap((source) => source.imports);
    const allowed = [...imports, ...(besides?.imports ?? [])].filter((one) => one !== 'node:*');
    expect(allowed.filter((one) => !all.some((used) => allows(one, used)))).toEqual([]);
  });

  it.each([
    ['packages/core', '@avm402/algorand/address'],
    ['packages/core', 'node:fs'],
    ['packages/core', 'crypto'],
    ['packages/algorand', '@avm402/core/errors'],
    ['packages/teal', '@avm402/devnode'],
    ['packages/avm', '@avm402/server'],
    ['packages/devnode', '@x402/core/types'],
    ['packages/facilitator', '@avm402/avm/exact/client'],
    ['packages/server', '@avm402/algorand/address'],
    ['packages/server', '@avm402/avm/exact/facilitator'],
    ['packages/client', '@avm402/avm/exact/server'],
    ['apps/weather', '@avm402/facilitator'],
  ])('%s may not import %s', (folder, specifier) => {
    expect(isBounded(specifier) && mayImport(folder, `${folder}/src/any.ts`, specifier)).toBe(false);
  });

  it('ARCHITECTURE.md says the same', () => {
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const said = rows.map(({ folder }) => {
      const [, cell] = new RegExp(`^\\| \`${folder}\` .*\\| ([^|]*?) *\\|$`, 'm').exec(page) ?? [];
      return { folder, imports: cell };
    });
    expect(said).toEqual(rows.map(({ folder, imports }) => ({ folder, imports: inWords(imports) })));
  });
});

function inWords(imports: readonly string[]): string {
  return imports.map((name) => `\`${name.replace('@avm402/', '')}\``).join(', ');
}

/** The folders of a package that import from each other, as `from → to`; files outside folders don't count. */
function arrows(name: string): Set<string> {
  const sources = `packages/${name}/src`;
  const folderOf = (path: string): string | undefined => {
    const [folder, ...rest] = relative(sources, path).split('/');
    return rest.length > 0 ? folder : undefined;
  };
  const found = new Set<string>();
  for (const { file, imports } of sourcesOf(`packages/${name}`)) {
    for (const specifier of imports.filter((one) => one.startsWith('.'))) {
      const [from, to] = [folderOf(file), folderOf(join(dirname(file), specifier))];
      if (from !== undefined && to !== undefined && from !== to) found.add(`${from} → ${to}`);
    }
  }
  return found;
}

describe('the folders of a package', () => {
  it.each(readdirSync(join(root, 'packages')))('packages/%s: import one another in one direction only', (name) => {
    const all = arrows(name);
    expect([...all].filter((arrow) => all.has(arrow.split(' → ').toReversed().join(' → ')))).toEqual([]);
  });

  it.each(rows.filter(({ folders }) => folders !== undefined))(
    '$folder: each imports from those that the table names, and all of these are further up in it',
    ({ folder, folders = {} }) => {
      const named = Object.entries(folders).flatMap(([from, all]) => all.map((to) => `${from} → ${to}`));
      expect([...arrows(folder.replace('packages/', ''))].toSorted()).toEqual(named.toSorted());
      const order = Object.keys(folders);
      const upwards = (from: string, to: string): boolean => order.slice(0, order.indexOf(from)).includes(to);
      expect(Object.entries(folders).flatMap(([from, all]) => all.filter((to) => !upwards(from, to)))).toEqual([]);
    },
  );

  it('arrows are seen', () => expect(arrows('devnode')).toContain('ledger → codec'));
});
