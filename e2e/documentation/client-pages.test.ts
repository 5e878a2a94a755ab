import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { printedInTurn } from './in-turn.ts';
import { brokenPromise, fencedBlocks, firstDifference, PAYING_PAGES, shownCommands } from './pages.ts';

const SHOWN_WEATHER = 'http://127.0.0.1:4021';
const cli = fileURLToPath(new URL('../../packages/cli/bin/avm402.js', import.meta.url));
const here = fileURLToPath(new URL('../', import.meta.url));

let stack: Stack;
let folder: string;
let environment: NodeJS.ProcessEnv;
let printed: readonly string[];

/** All programs, as [page, number on the page, code]. */
const programs = PAYING_PAGES.flatMap((page) =>
  fencedBlocks(page, 'ts').map((code, index) => [page, index + 1, code] as const),
);

beforeAll(async () => {
  stack = await startStack();
  folder = mkdtempSync(join(tmpdir(), 'avm402-docs-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  program('avm402', `exec ${process.execPath} ${cli} "$@"`);
  if (spawnSync('sh', ['-c', 'command -v jq']).status !== 0) {
    // Where jq is missing: what the page uses of it, to lay JSON out.
    program(
      'jq',
      `exec ${process.execPath} -e 'process.stdin.on("data", (t) => console.log(JSON.stringify(JSON.parse(t), null, 2)))'`,
    );
  }
  environment = {
    PATH: folder + delimiter + (process.env['PATH'] ?? ''),
    HOME: folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    AVM_MNEMONIC: stack.accounts.payer4.mnemonic,
    ALGOD_URL: stack.node.url,
    ALGOD_TOKEN: NODE_TOKEN,
    JOURNAL: join(folder, 'payments-of-the-page.jsonl'),
    AGENT_JOURNAL: join(folder, 'payments-of-the-agent.jsonl'),
    CHANNELS: join(folder, 'channels-of-the-page.jsonl'),
    AVM_ADDRESS: stack.accounts.merchant.address,
  };
  Object.assign(environment, mandateFor(join(folder, 'mandate-of-the-programs.json')));
  const codes = programs.map(([, , code]) => atStack(code));
  printed = printedInTurn(codes, { fileOf: (number) => join(folder, `${number}.js`), cwd: here, env: environment });
});

/** A mandate for the programs, which run before the commands of a page. */
function mandateFor(file: string): NodeJS.ProcessEnv {
  const limits = ['--per-payment', '$0.05', '--funds', '$1', '--file', file, '--json'];
  const args = [cli, 'mandate', 'create', ...limits];
  const { stdout } = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' });
  const { agentKey } = JSON.parse(stdout) as { agentKey: string };
  return { MANDATE: file, AGENT_PRIVATE_KEY: agentKey };
}

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stack.stop();
});

function program(name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

const atStack = (text: string): string => text.replaceAll(SHOWN_WEATHER, stack.weather.url);

it.each(programs.map(([page, number, code], index) => [page, number, code, index] as const))(
  '%s: program %i prints what its comments say',
  (_page, _number, code, index) => {
    expect(brokenPromise(code, printed[index] ?? '')).toBeUndefined();
  },
);

describe.each(PAYING_PAGES.filter((page) => shownCommands(page).length > 0))('%s', (page) => {
  it.each(shownCommands(page).map(({ command, output }) => [command, output] as const))('$ %s', (command, output) => {
    // Both streams, as a terminal shows them.
    const both = `{ ${atStack(command)}\n} 2>&1`;
    const { status, stdout } = spawnSync('bash', ['-c', both], { cwd: folder, env: environment, encoding: 'utf8' });
    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(firstDifference(output, stdout)).toBeUndefined();
  });
});
