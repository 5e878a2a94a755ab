import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Node version that the repository doesn't run with, in a folder of its own. */
export interface OtherNode extends Disposable {
  readonly program: string;
  /** The same, which also runs TypeScript, whether or not this version can read it itself. */
  readonly withTypescript: string;
}

/** Installs the newest Node of a major version from npm. */
export function installNode(major: number): OtherNode {
  const folder = mkdtempSync(join(tmpdir(), `avm402-node-${major}-`));
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${major}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const program = join(folder, 'node_modules', name, 'bin/node');
  const withTypescript = join(folder, 'node-with-typescript');
  const loader = fileURLToPath(import.meta.resolve('tsx'));
  writeFileSync(withTypescript, readTypescript(program, loader), { mode: 0o755 });
  return { program, withTypescript, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** A script that reads TypeScript by the loader, and starts everything else without it. */
function readTypescript(program: string, loader: string): string {
  return `#!/bin/sh
load=
for argument do
  case $argument in *.ts*) load='--import file://${loader}' ;; esac
done
exec ${program} $load "$@"
`;
}
