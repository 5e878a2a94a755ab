import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDevnode } from '../src/start-devnode.ts';
import { developmentAccounts } from '../src/genesis/development-accounts.ts';
import { readVector } from './replay/recording.ts';

const PROGRAM = join(import.meta.dirname, '../bin/avm402-devnode.js');
const LISTENING = /^avm402-devnode listening on (http:\/\/127\.0\.0\.1:\d+)$/m;

type Program = ChildProcessByStdio<null, Readable, Readable>;

describe('the program avm402-devnode', () => {
  const running: Program[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'devnode-cli-'));
  });
  afterEach(async () => {
    const ended = running.splice(0).map(async (program) => {
      if (program.exitCode !== null || program.signalCode !== null) return;
      const exit = once(program, 'exit');
      program.kill('SIGKILL');
      await exit;
    });
    await Promise.all(ended);
    rmSync(folder, { recursive: true });
  });

  const start = (...args: string[]): Program => {
    const program = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(program);
    return program;
  };

  const finished = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const program = start(...args);
    const [out, err, [code]] = await Promise.all([text(program.stdout), text(program.stderr), once(program, 'close')]);
    return { code: code as number, out, err };
  };

  const ready = async (program: Program): Promise<{ url: string; printed: () => string }> => {
    let printed = '';
    program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
    for (;;) {
      const url = LISTENING.exec(printed)?.[1];
      if (url !== undefined) return { url, printed: () => printed };
      await once(program.stdout, 'data');
    }
  };

  const stopped = async (program: Program, signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> => {
    const began = Date.now();
    const exit = once(program, 'exit');
    program.kill(signal);
    const [code] = (await exit) as [number | null];
    return { code, ms: Date.now() - began };
  };

  test('prints the named accounts with their public development keys and exactly one line that says where it listens', async () => {
    const program = start('--port', '0');
    const { url, printed } = await ready(program);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(printed().match(/avm402-devnode listening on/g)).toHaveLength(1);
    expect(printed()).toContain('PUBLIC DEVELOPMENT KEYS');
    for (const { name, address, mnemonic, privateKey } of Object.values(developmentAccounts())) {
      for (const shown of [name, address, mnemonic, privateKey]) expect(printed()).toContain(shown);
    }
    expect(printed()).toMatch(/payer\n {2}address .*\n {2}holds {3}1,000,000 ALGO, 1,000,000 USDC\n/);
  });

  test('says that of many payments some expire where each has a block of its own, and whether blocks are paused', async () => {
    const { printed } = await ready(start('--port', '0', '--strict'));
    expect(printed()).toMatch(
      /^Blocks .*one at once for each submission.*valid for ten rounds arrive together, some expire$/m,
    );
    const node = await startDevnode({ port: 0 });
    await node.pause();
    const state = join(folder, 'state');
    writeFileSync(state, await node.dump());
    await node.stop();
    const paused = await ready(start('--port', '0', '--load', state));
    expect(paused.printed()).toMatch(/^Blocks .*POST \/dev\/resume/m);
  });

  test('says where KMD and the indexer answer, as the page shows it', async () => {
    const { printed } = await ready(start('--port', '0', '--kmd-port', '0', '--indexer-port', '0'));
    const page = readFileSync(join(import.meta.dirname, '../../../docs/devnode.md'), 'utf8');
    const withoutPort = (lines: string): string => lines.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
    const [, shown = 'nothing is shown'] = /```\n(KMD .*?)```/s.exec(page) ?? [];
    expect(withoutPort(printed())).toContain(withoutPort(shown));
    const urlOf = (name: string) => new RegExp(`^${name} +(http://127.0.0.1:\\d+)`, 'm').exec(printed())?.[1];
    expect(await (await fetch(`${urlOf('KMD')}/versions`)).json()).toEqual({ versions: ['v1'] });
    expect(await (await fetch(`${urlOf('Indexer')}/health`)).json()).toMatchObject({ round: 0 });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends on %s with exit code 0 within a second, even with requests waiting',
    async (signal) => {
      const program = start('--port', '0', '--quiet', '--no-auth');
      const { url } = await ready(program);
      const waiting = fetch(`${url}/v2/status/wait-for-block-after/0`);
      await fetch(`${url}/health`);
      const { code, ms } = await stopped(program, signal);
      expect(code).toBe(0);
      expect(ms).toBeLessThan(1000);
      expect((await waiting).status).toBe(500);
    },
  );

  test('names port and flag when the port is taken', async () => {
    const { url } = await ready(start('--port', '0', '--quiet'));
    const { port } = new URL(url);
    const { code, err } = await finished('--port', port);
    expect(code).toBe(1);
    expect(err).toContain(`port ${port}`);
    expect(err).toContain('--port');
  });

  test('refuses a wrong command line with one line on stderr and exit code 2', async () => {
    const { code, out, err } = await finished('--prot', '1');
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe("avm402-devnode: Unknown option '--prot'; see avm402-devnode --help\n");
  });

  test('explains itself and its version', async () => {
    const help = await finished('--help');
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const word of ['--port', '--strict', '/v2/transactions/async', 'dropped silently'])
      expect(help.out).toContain(word);
    expect(await finished('export', '--help')).toEqual(help);
    expect((await finished('--version')).out).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('boots a genesis and a config of algod’s, and names the keys that have no effect', async () => {
    const genesis = join(folder, 'genesis.json');
    const config = join(folder, 'config.json');
    writeFileSync(genesis, readVector('genesis.json'));
    writeFileSync(config, JSON.stringify({ Version: 12, GossipFanout: 1, EnableExperimentalAPI: false }));
    const program = start('--port', '0', '--genesis', genesis, '--config', config, '--no-auth');
    let complaints = '';
    program.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaints += chunk;
    });
    const { url, printed } = await ready(program);
    expect(printed()).not.toContain('payer');
    expect(await (await fetch(`${url}/genesis`)).text()).toBe(readVector('genesis.json'));
    expect((await fetch(`${url}/v2/experimental`)).status).toBe(404);
    expect(complaints).toContain('Version, GossipFanout');
  });

  test('presents TestNet', async () => {
    const { url } = await ready(start('--port', '0', '--quiet', '--network', 'testnet'));
    const versions = (await (await fetch(`${url}/versions`)).json()) as Record<string, unknown>;
    expect(versions['genesis_id']).toBe('testnet-v1.0');
    expect(versions['genesis_hash_b64']).toBe('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=');
  });

  test('goes on from a state file, and names one that it can’t', async () => {
    const [state, broken] = [join(folder, 'state'), join(folder, 'broken')];
    const headers = { 'X-Algo-API-Token': 'a'.repeat(64) };
    const { url } = await ready(start('--port', '0', '--quiet', '--network', 'testnet'));
    await fetch(`${url}/dev/mine?rounds=7`, { method: 'POST', headers });
    const dump = Buffer.from(await (await fetch(`${url}/dev/dump`, { headers })).arrayBuffer());
    writeFileSync(state, dump);
    writeFileSync(broken, dump.subarray(0, -1));
    const loaded = await ready(start('--port', '0', '--quiet', '--load', state));
    const status = (await (await fetch(`${loaded.url}/v2/status`, { headers })).json()) as Record<string, number>;
    expect(status['last-round']).toBe(7);
    const { code, err } = await finished('--port', '0', '--load', broken);
    expect([code, err]).toEqual([1, expect.stringMatching(/^avm402-devnode: the state file is damaged: /)]);
  });

  test('keeps a chain in a directory, and says where it is', async () => {
    const genesis = join(folder, 'genesis.json');
    const data = join(folder, 'chain');
    writeFileSync(genesis, readVector('genesis.json'));
    const first = start('--port', '0', '--genesis', genesis, '--data', data);
    const { url } = await ready(first);
    await fetch(`${url}/dev/mine?rounds=7`, { method: 'POST', headers: { 'X-Algo-API-Token': 'a'.repeat(64) } });
    await stopped(first, 'SIGKILL');
    const { printed } = await ready(start('--port', '0', '--data', data));
    expect(printed()).toContain(`Chain     in ${data}, at block 7\n`);
    expect(printed()).not.toContain('payer');
  });

  test('makes a block every block time', async () => {
    const { url } = await ready(start('--port', '0', '--quiet', '--block-time', '50ms', '--no-auth'));
    const waited = (await (await fetch(`${url}/v2/status/wait-for-block-after/2`)).json()) as Record<string, number>;
    expect(waited['last-round']).toBeGreaterThanOrEqual(3);
  });
});
