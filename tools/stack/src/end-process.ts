import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process with SIGTERM, or with SIGKILL if it still runs after `killAfterMs`. */
export async function endProcess(child: ChildProcess, killAfterMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await exited;
  clearTimeout(timer);
}
