import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A machine's folders, below a folder of a test: `/opt/x` is `${root}/opt/x`. */
export const atRoot = (root: string, text: string): string =>
  text.replaceAll(/(?<![\w.])\/(?=(?:opt|etc|var)\/)/g, `${root}/`);

/**
 * Does what systemd does with a unit and a machine without systemd can: starts the program with the unit's variables
 * and file of variables, in its folder of state, starts it again when it ends, and stops it with SIGTERM.
 */
export class Service {
  readonly #root: string;
  readonly #unit: string;
  #child: ChildProcess | undefined;
  #isWanted = false;
  starts = 0;

  /** @param path the unit's file as it is installed */
  constructor(root: string, path: string) {
    this.#root = root;
    this.#unit = readFileSync(path, 'utf8');
  }

  /** The value of a setting, with what systemd and this machine put into it. */
  #setting(name: string): string {
    const [, value] = new RegExp(`^${name}=(.*)$`, 'm').exec(this.#unit) ?? [];
    if (value === undefined) throw new Error(`the unit has no ${name}`);
    return atRoot(this.#root, value.replaceAll('%S', '/var/lib'));
  }

  start(): void {
    this.#isWanted = true;
    const file = readFileSync(this.#setting('EnvironmentFile'), 'utf8');
    const lines = [this.#setting('Environment'), ...file.split('\n').filter(Boolean)];
    const env = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const [program = '', ...parameters] = this.#setting('ExecStart').split(' ');
    // The page wants Node 24 there; it is the one that runs here.
    const node = program === '/usr/bin/node' ? process.execPath : program;
    const child = spawn(node, parameters, {
      env,
      cwd: this.#setting('WorkingDirectory'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.starts += 1;
    this.#child = child;
    const seconds = Number(this.#setting('RestartSec'));
    child.once('exit', () => {
      if (this.#isWanted && this.#setting('Restart') === 'always') setTimeout(() => this.start(), seconds * 1_000);
    });
  }

  /** Ends the program as a crash does; the service goes on. */
  crash(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when the program has ended, within the time that the unit gives it. */
  async stop(): Promise<void> {
    this.#isWanted = false;
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit', {
      signal: AbortSignal.timeout(Number(this.#setting('TimeoutStopSec')) * 1_000),
    });
    this.#child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }
}
