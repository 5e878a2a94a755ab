import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/**
 * Fills an absent compile cache beside the first tests: most programs that they start are killed, and Node writes what it
 * compiled only when a program ends by itself.
 */
export default function fillCompileCache({ config }: TestProject): (() => Promise<unknown>) | undefined {
  const { NODE_COMPILE_CACHE = '' } = config.env;
  if (existsSync(NODE_COMPILE_CACHE)) return undefined;
  const args = ['--conditions=@avm402/source', join(import.meta.dirname, 'load-sources.ts')];
  const ended = once(spawn(process.execPath, args, { env: { NODE_COMPILE_CACHE }, stdio: 'inherit' }), 'exit');
  return () => ended;
}
