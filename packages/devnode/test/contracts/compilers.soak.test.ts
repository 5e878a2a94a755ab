import { execFile, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

/** The compiler, its library, and the clients for Python. The compiler for TypeScript uses the same one. */
const WHEELS = ['puyapy==5.10.1', 'algorand-python==4.0.0', 'algokit-utils==4.2.3'];
const PUYA_TS = '@algorandfoundation/puya-ts@1.3.1';
const VARIABLES = { STEP: '1', UPDATABLE: '1', DELETABLE: '1' };

const sources = import.meta.dirname;
const place = mkdtempSync(join(tmpdir(), 'avm402-contracts-'));
const programs = join(place, 'venv/bin');
const python = installed();
let node: Devnode;
beforeAll(async () => {
  node = await startDevnode({ port: 0, indexerPort: 0 });
});
afterAll(async () => {
  await node.stop();
  rmSync(place, { recursive: true });
});

/** A Python in which the wheels are, if there is one that can run them and a registry that has them. */
function installed(): string | undefined {
  const named = [
    'python3',
    'python3.12',
    'python3.13',
    ...globSync(join(homedir(), '.pyenv/versions/3.1[2-9]*/bin/python3')),
  ];
  const found = named.find((name) => passes(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 12))']));
  if (found === undefined || !passes(found, ['-m', 'venv', join(place, 'venv')])) return undefined;
  const own = join(programs, 'python');
  return passes(own, ['-m', 'pip', 'install', '--quiet', ...WHEELS]) ? own : undefined;
}

function passes(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const PATH = `${programs}${delimiter}${process.env['PATH']}`;
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...process.env, ...environment, PATH } });
  return stdout;
}

/** The contracts of a language, in a folder of their own: compilers write beside what they read. */
function copied(folder: string, extension: string): string {
  const target = join(place, folder);
  const files = readdirSync(sources).filter((file) => file.endsWith(extension));
  for (const file of files) cpSync(join(sources, file), join(target, file));
  return target;
}

const specIn = (folder: string, file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
const specsIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((file) => file.endsWith('.arc56.json'));

/** The node's own assembly of the text that a compiler made. */
async function assembled(teal: string): Promise<string> {
  const text = Object.entries(VARIABLES).reduce((all, [name, value]) => all.replaceAll(`TMPL_${name}`, value), teal);
  const headers = { 'x-algo-api-token': node.token };
  const answer = await fetch(`${node.url}/v2/teal/compile`, { method: 'POST', headers, body: text });
  const { result }: { result: string } = await answer.json();
  return result;
}

if (python === undefined) {
  it('contracts are not compiled here, nor called from Python (no Python 3.12 with the compiler to be had): what it made is there', () => {
    expect(specsIn(join(sources, 'compiled'))).toHaveLength(7);
  });
} else {
  it('PuyaPy makes what the tests use of the contracts in Python', async () => {
    const folder = copied('python', '.py');
    await run('puyapy', ['.', '--out-dir', 'made'], folder);
    const made = specsIn(join(folder, 'made'));
    expect(made).toHaveLength(6);
    for (const file of made)
      expect(specIn(join(folder, 'made'), file)).toEqual(specIn(join(sources, 'compiled'), file));
  });

  it('puya-ts makes what the tests use of the contract in TypeScript', async () => {
    const folder = copied('typescript', '.algo.ts');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', PUYA_TS], folder);
    const compiler = 'node_modules/@algorandfoundation/puya-ts/bin/run-cli.mjs';
    const options = ['--out-dir', 'made', '--puya-path', join(programs, 'puya')];
    await run(process.execPath, [compiler, 'guestbook.algo.ts', ...options], folder);
    const file = 'Guestbook.arc56.json';
    expect(specIn(join(folder, 'made'), file)).toEqual(specIn(join(sources, 'compiled'), file));
  });

  it('the node assembles the compiler’s text to the compiler’s bytes', async () => {
    const folder = copied('bytes', '.py');
    const variables = Object.entries(VARIABLES).flatMap(([name, value]) => ['-T', `${name}=${value}`]);
    await run('puyapy', ['.', '--out-dir', 'made', '--output-bytecode', ...variables], folder);
    const programNames = readdirSync(join(folder, 'made')).filter((file) => file.endsWith('.teal'));
    expect(programNames).toHaveLength(12);
    for (const file of programNames) {
      const teal = readFileSync(join(folder, 'made', file), 'utf8');
      const bytes = readFileSync(join(folder, 'made', file.replace('.teal', '.bin')));
      expect([file, await assembled(teal)]).toEqual([file, bytes.toString('base64')]);
    }
  });

  it('AlgoKit utils for Python creates, deploys, calls and deletes all of them', async () => {
    const { payer, payer2 } = node.accounts;
    const environment = {
      ALGOD_URL: node.url,
      ALGOD_TOKEN: node.token,
      INDEXER_URL: node.indexerUrl ?? '',
      CREATOR: payer.mnemonic,
      CALLER: payer2.mnemonic,
    };
    const passed = await run(python, [join(sources, 'python/clients.py')], sources, environment);
    expect(passed.trim().split('\n')).toEqual([
      'counter_counts_and_logs',
      'counter_is_deployed_once',
      'sale_sends_inner_transfers',
      'register_keeps_boxes',
      'factory_creates_applications',
      'pool_swaps',
      'auction_takes_bids',
    ]);
  });
}
