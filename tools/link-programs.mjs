// Makes `npx avm402` and its like work from the root after any installation; there Node 24 stands beside them on npx's PATH.
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binFolder = join(root, 'node_modules', '.bin');
const folders = ['packages', 'apps'].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => join(group, name)),
);
for (const folder of folders.filter((path) => existsSync(join(root, path, 'package.json')))) {
  const { bin = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  for (const [program, file] of Object.entries(bin)) {
    rmSync(join(binFolder, program), { force: true });
    symlinkSync(join('..', '..', folder, file), join(binFolder, program));
  }
}
