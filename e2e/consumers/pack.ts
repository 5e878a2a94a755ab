import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with every package as it is published. */
    readonly tarballs: string;
  }
}

/** Packs every package once, before the first file of a run, and removes what it made after the last one. */
export default function setup({ provide }: TestProject): () => void {
  const tarballs = mkdtempSync(join(tmpdir(), 'avm402-tarballs-'));
  for (const folder of ['client', 'server', 'cli']) {
    execFileSync(process.execPath, [join(root, 'tools/write-llms.mjs')], { cwd: join(root, 'packages', folder) });
  }
  // `npm run soak` has compiled them.
  const quick = ['--config.ignore-scripts=true', '--pack-destination', tarballs];
  execFileSync('pnpm', ['--recursive', '--filter', './packages/*', 'pack', ...quick], { cwd: root });
  provide('tarballs', tarballs);
  return () => rmSync(tarballs, { recursive: true });
}
