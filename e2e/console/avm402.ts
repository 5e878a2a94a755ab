import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { programFiles } from '@avm402/stack/programs';

/** The command, in a process of its own that knows no role's address. */
export async function avm402(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [programFiles.client, ...args], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  const [code, out, error] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code: code[0] as number | null, output: out + error };
}
