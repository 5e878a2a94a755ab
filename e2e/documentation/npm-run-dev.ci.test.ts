import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { freePort } from '@avm402/stack/free-port';
import { firstDifference } from './pages.ts';
import { root, run, shownOutput } from './first-payment.ts';

const groups: ChildProcess[] = [];

afterEach(async () => {
  for (const group of groups.splice(0)) await interrupt(group);
});

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-(pid ?? 0), signal);
  } catch {
    return false;
  }
}

/** Ctrl-C, as a terminal sends it: to the whole process group. Resolves when no process of the group is left. */
async function interrupt(group: ChildProcess): Promise<void> {
  if (group.exitCode === null && group.signalCode === null) {
    const exited = once(group, 'exit');
    signalGroup(group, 'SIGINT');
    await exited;
  }
  for (let waited = 0; signalGroup(group, 0) && waited < 10_000; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Dev {
  readonly group: ChildProcess;
  readonly output: string;
  readonly weatherPort: number;
  readonly nodePort: number;
  readonly consolePort: number;
}

async function startDev(): Promise<Dev> {
  const ports = {
    node: await anyPort(),
    facilitator: await anyPort(),
    weather: await anyPort(),
    console: await anyPort(),
  };
  const group = spawn('npm', ['run', 'dev'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // What a shell may have exported for the client is not for the programs of `npm run dev`.
      AVM_MNEMONIC: developmentAccounts().payer.mnemonic,
      ALGOD_URL: 'http://127.0.0.1:1',
      NODE_PORT: String(ports.node),
      FACILITATOR_PORT: String(ports.facilitator),
      WEATHER_PORT: String(ports.weather),
      CONSOLE_PORT: String(ports.console),
    },
  });
  groups.push(group);
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  group.stdout?.on('data', collect);
  group.stderr?.on('data', collect);
  for (let waited = 0; !output.includes('docs/start.md'); waited += 100) {
    if (waited > 100_000 || group.exitCode !== null) throw new Error(`npm run dev did not come up:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { group, output, weatherPort: ports.weather, nodePort: ports.node, consolePort: ports.console };
}

async function anyPort(): Promise<number> {
  return freePort(10_000 + Math.floor(Math.random() * 22_000));
}

it(
  'docs/first-payment.md: npm run dev serves what is shown, and Ctrl-C leaves no process',
  { timeout: 240_000 },
  async () => {
    const { group, output: began, weatherPort, nodePort, consolePort } = await startDev();
    expect(began).toContain(`Ready. Every payment is shown here:  http://127.0.0.1:${consolePort}`);
    expect(began).toMatch(/\d\d:\d\d:\d\d\.\d{3} info /);
    expect(began).not.toContain('{"level":');
    const environment = { ALGOD_URL: `http://127.0.0.1:${nodePort}`, ALGOD_TOKEN: NODE_TOKEN };
    const move = (text: string): string => text.replaceAll('4021', String(weatherPort));
    for (const start of ['curl', 'npx avm402 pay']) {
      const { command, output } = shownOutput(start);
      expect(output.length).toBeGreaterThan(2);
      expect(firstDifference(output.map(move), run(move(command), environment))).toBeUndefined();
    }
    await interrupt(group);
    expect(signalGroup(group, 0)).toBe(false);
    for (const port of [weatherPort, nodePort])
      await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow(TypeError);
  },
);
