import { readFileSync } from 'node:fs';

/** The options of a new project. */
export interface ProjectOptions {
  /** The project's name in npm. */
  readonly name: string;
  readonly language: 'typescript' | 'javascript';
  readonly framework: 'express' | 'hono';
  /** The seller is paid through a smart contract of its own. */
  readonly contract: boolean;
  /** The project runs on a Node of its own, from npm, because its maker's is too old for it. */
  readonly ownNode: boolean;
  /** The source of each avm402 package: a range of versions, or `file:` and a tarball. */
  readonly sourceOf: (packageName: string) => string;
}

/** The oldest major version of Node that a project runs on: the facilitator's. */
export const NODE = 24;
const PACKAGES = ['core', 'algorand', 'teal', 'avm', 'client', 'server', 'facilitator', 'devnode'];
const FRAMEWORKS = {
  express: { dependencies: { express: '^5.1.0' }, types: { '@types/express': '^5.0.0' } },
  hono: { dependencies: { hono: '^4.13.0', '@hono/node-server': '^2.1.0' }, types: {} },
} as const;
/** The programs of a project, by the folder of their template. */
const PLAIN = { buyer: 'project', start: 'project', chain: 'project', 'joke.test': 'project' };
const CONTRACT = { ...PLAIN, chain: 'contract', 'joke.test': 'contract', till: 'contract' };

/** The files of a new project, by path in its folder. */
export function projectFiles(options: ProjectOptions): ReadonlyMap<string, string> {
  const { framework, language, contract } = options;
  const extension = language === 'typescript' ? 'ts' : 'js';
  const source = (path: string): string => template(path).replaceAll(/'(\.\/[a-z]+)\.ts'/g, `'$1.${extension}'`);
  const files = new Map([['package.json', `${JSON.stringify(manifest(options, extension), null, 2)}\n`]]);
  files.set(`seller.${extension}`, source(`${framework}/seller.ts`));
  for (const [program, folder] of Object.entries(contract ? CONTRACT : PLAIN))
    files.set(`${program}.${extension}`, source(`${folder}/${program}.ts`));
  if (contract) files.set('till.teal', template('contract/till.teal'));
  if (language === 'typescript') files.set('tsconfig.json', template('project/tsconfig.json'));
  files.set('README.md', template(`${contract ? 'contract' : 'project'}/README.md`));
  files.set('.gitignore', 'node_modules/\n.env\nchannels.jsonl*\npayments.jsonl*\n');
  return files;
}

function manifest(
  { name, framework, language, contract, ownNode, sourceOf }: ProjectOptions,
  extension: string,
): object {
  const { dependencies, types } = FRAMEWORKS[framework];
  const packages = PACKAGES.map((short) => `@avm402/${short}`);
  const typescript = language === 'typescript' && { typescript: '^5.9.0', '@types/node': '^24.0.0', ...types };
  // npm puts a project's own programs first, and runs no script of a package that is not named.
  const node = ownNode && { node: `^${NODE}.0.0` };
  return {
    name,
    private: true,
    type: 'module',
    scripts: {
      start: `node start.${extension}`,
      test: 'node --test',
      ...(language === 'typescript' && { types: 'tsc' }),
    },
    dependencies: {
      ...Object.fromEntries(packages.map((one) => [one, sourceOf(one)])),
      ...dependencies,
      ...(contract && { algosdk: '^3.8.0' }),
    },
    ...((node || typescript) && { devDependencies: { ...node, ...typescript } }),
    ...(ownNode ? { allowScripts: { node: true } } : { engines: { node: `>=${NODE}` } }),
  };
}

function template(path: string): string {
  return readFileSync(new URL(`../templates/${path}`, import.meta.url), 'utf8');
}
