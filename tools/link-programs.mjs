// Makes `npx avm402` and its like work from the root after any installation; there Node 24 stands beside them on npx's PATH.
import { existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binFolder = join(root, 'node_modules', '.bin');
const manifests = readdirSync(join(root, 'packages')).map((name) => [
  name,
  join(root, 'packages', name, 'package.json'),
]);
for (const [name, manifest] of manifests.filter(([, path]) => existsSync(path))) {
  const { bin = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const [program, file] of Object.entries(bin)) {
    rmSync(join(binFolder, program), { force: true });
    symlinkSync(join('..', '..', 'packages', name, file), join(binFolder, program));
  }
}
