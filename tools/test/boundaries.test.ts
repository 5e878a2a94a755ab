import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const elsewhere = mkdtempSync(join(tmpdir(), 'avm402-boundaries-'));
copyFileSync(join(root, '.oxlintrc.json'), join(elsewhere, '.oxlintrc.json'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

/** Lints one import as if it stood in a package's sources. */
function lint(folder: string, specifier: string): { readonly status: number | null; readonly stdout: string } {
  mkdirSync(join(elsewhere, folder), { recursive: true });
  writeFileSync(join(elsewhere, folder, 'probe.ts'), `export * from '${specifier}';\n`);
  return spawnSync(join(root, 'node_modules/.bin/oxlint'), [join(folder, 'probe.ts')], {
    cwd: elsewhere,
    encoding: 'utf8',
  });
}

const forbidden: [folder: string, specifier: string][] = [
  ['packages/core/src', '@avm402/algorand/address'],
  ['packages/core/src', 'node:fs'],
  ['packages/algorand/src', '@avm402/core/errors'],
  ['packages/teal/src', '@avm402/devnode'],
  ['packages/teal/src', 'node:crypto'],
  ['packages/avm/src', '@avm402/server'],
  ['packages/devnode/src', '@avm402/core/errors'],
  ['packages/devnode/src', '@x402/core/types'],
  ['packages/facilitator/src', '@avm402/avm/exact/client'],
  ['packages/server/src', '@avm402/facilitator'],
  ['packages/server/src', '@avm402/avm/exact/facilitator'],
  ['packages/client/src', '@avm402/avm/exact/server'],
  ['apps/weather/src', '@avm402/facilitator'],
];

describe('package boundaries', () => {
  it.each(forbidden)('%s may not import %s', (folder, specifier) => {
    const { status, stdout } = lint(folder, specifier);
    expect(stdout).toContain('no-restricted-imports');
    expect(status).toBe(1);
  });

  it('let a package import what the architecture allows', () => {
    expect(lint('packages/facilitator/src', '@avm402/avm/exact/facilitator').stdout).not.toContain(
      'no-restricted-imports',
    );
  });
});
