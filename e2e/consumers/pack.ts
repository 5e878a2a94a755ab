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
    /**
     * Where consumers have their folders, which stay there until the end of the run: for minutes after thousands of files
     * were removed, some file systems make new ones at three times the cost.
     */
    readonly consumers: string;
  }
}

/** Packs every package once, before the first file of a run, and removes what consumers made of them after the last one. */
export default function setup({ provide }: TestProject): void {
  const consumers = mkdtempSync(join(tmpdir(), 'avm402-consumers-'));
  const tarballs = join(consumers, 'tarballs');
  for (const folder of ['client', 'server', 'cli']) {
    execFileSync(process.execPath, [join(root, 'tools/write-llms.mjs')], { cwd: join(root, 'packages', folder) });
  }
  // `npm run soak` has compiled them.
  const quick = ['--config.ignore-scripts=true', '--pack-destination', tarballs];
  execFileSync('pnpm', ['--recursive', '--filter', './packages/*', 'pack', ...quick], { cwd: root });
  provide('consumers', consumers);
  provide('tarballs', tarballs);
  // That is more than a hundred thousand files, for which Vitest does not wait while it closes.
  process.once('exit', () => rmSync(consumers, { recursive: true, force: true }));
}
