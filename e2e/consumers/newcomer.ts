import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { firstDifference, type ShownCommand } from '../documentation/pages.ts';

export interface Circumstances {
  /** An empty folder. */
  readonly folder: string;
  /** The ports that stand in for those of the pages, which others may use on this machine. */
  readonly ports: ReadonlyMap<number, number>;
  /** Values that the pages leave to the reader, as in `NAME=…`. */
  readonly knows?: Readonly<Record<string, string>>;
  /** Variables of the shell beside PATH and HOME. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Running {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown[]>;
  readonly output: () => string;
}

/** Somebody who has a shell and an empty folder, and does word by word what pages say. */
export class Newcomer implements AsyncDisposable {
  readonly folder: string;
  readonly #circumstances: Circumstances;
  readonly #running: Running[] = [];
  #environment: Record<string, string>;

  constructor(circumstances: Circumstances) {
    this.#circumstances = circumstances;
    this.folder = circumstances.folder;
    mkdirSync(this.folder, { recursive: true });
    const home = join(this.folder, '.home');
    this.#environment = {
      ...inherited(),
      PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter),
      HOME: home,
      // Where `npm install --global` puts programs.
      npm_config_prefix: home,
      ...circumstances.environment,
    };
  }

  /** The variables of their shell. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** The text of a page with what it leaves open filled in, at this machine's ports. */
  reads(text: string): string {
    let read = text;
    for (const [shown, port] of this.#circumstances.ports)
      read = read.replaceAll(new RegExp(`\\b${shown}\\b`, 'g'), `${port}`);
    const { knows = {} } = this.#circumstances;
    return read.replaceAll(/\b([A-Z_]+)=…/g, (open, name: string) =>
      name in knows ? `${name}='${knows[name]}'` : open,
    );
  }

  saves(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.reads(text));
  }

  /** Types commands; what they export stays. Resolves with what the terminal shows. */
  async types(commands: string): Promise<string> {
    const exported = join(this.folder, '.exported');
    const { closed, output } = this.#spawn(`set -e; ${this.reads(commands)}\nenv -0 > ${exported}`);
    const [status] = (await closed) as [number | null];
    expect(status, `$ ${commands}\n${output()}`).toBe(0);
    const variables = readFileSync(exported, 'utf8').split('\0').filter(Boolean);
    this.#environment = Object.fromEntries(
      variables.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return output();
  }

  /** Types what a page shows, and compares what it shows below. */
  async sees(shown: readonly ShownCommand[]): Promise<void> {
    expect(shown).not.toHaveLength(0);
    for (const { command, output } of shown) {
      const real = await this.types(command);
      const missing = firstDifference(
        output.map((line) => this.reads(line)),
        real,
      );
      expect(missing, `$ ${command}\n${real}`).toBeUndefined();
    }
  }

  /** Starts a program in a terminal of its own; resolves with what it has printed once that fits `ready`. */
  async starts(command: string, ready: RegExp): Promise<string> {
    const running = this.#spawn(this.reads(command));
    this.#running.push(running);
    const { child, output } = running;
    await expect.poll(() => ready.test(output()) || child.exitCode !== null, { timeout: 60_000 }).toBe(true);
    expect({ command, output: output() }).toMatchObject({ output: expect.stringMatching(ready) });
    return output();
  }

  /** Ends what was started, the latest first. */
  async stops(): Promise<void> {
    for (const { child, closed } of this.#running.splice(0).toReversed()) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      // npx passes no signal on: the whole terminal is closed.
      if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await closed;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stops();
  }

  #spawn(script: string): Running {
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], {
      cwd: this.folder,
      env: this.#environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    return { child, closed: once(child, 'close'), output: () => printed };
  }
}

/** Variables that a machine sets for all its programs, such as certificates; none of ours, of the test's or of npm's. */
function inherited(): Record<string, string> {
  const not = /^(AVM_|ALGOD_|FACILITATOR_|VITEST|NODE_ENV|NODE_OPTIONS|PORT$|npm_)/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value = '']) => (not.test(name) ? [] : [[name, value]])),
  );
}
