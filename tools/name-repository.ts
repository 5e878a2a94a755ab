import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Writes the repository's URL into every published package's manifest: `node tools/name-repository.ts URL`. */
const [, , url] = process.argv;
if (url === undefined || !URL.canParse(url)) throw new Error('name the URL of the repository');
const packages = fileURLToPath(new URL('../packages/', import.meta.url));
for (const name of readdirSync(packages)) {
  const file = `${packages}${name}/package.json`;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof manifest !== 'object' || manifest === null) throw new Error(`${file} is no manifest`);
  const repository = { type: 'git', url: `git+${url}.git`, directory: `packages/${name}` };
  writeFileSync(file, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}
