import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { helpText, FLAGS, parseCommand } from '../src/cli-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'devnode-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('the command line', () => {
  test.each([
    [['--prot', '1'], '--prot'],
    [['--port', '70000'], '--port'],
    [['--port', '-1'], '--port'],
    [['--port', '4e3'], '--port'],
    [['--port'], '--port'],
    [['--kmd-port', 'x'], '--kmd-port'],
    [['--indexer-port', '99999'], '--indexer-port'],
    [['--block-time', 'soon'], 'soon'],
    [['--manual', '--block-time', '1s'], '--manual'],
    [['--network', 'mainnet'], '--network'],
    [['--network', 'testnet', '--genesis', 'x'], '--genesis'],
    [['--genesis', '/no/such/file'], '--genesis'],
    [['--config', '/no/such/file'], '--config'],
    [['--config', file('list.json', '[]')], '--config'],
    [['--config', file('broken.json', '{')], '--config'],
    [['--kmd-config', file('broken.json', '{')], '--kmd-config'],
    [['stray'], 'stray'],
  ])('%j is refused, and the message names the trouble', (args, named) => {
    expect(() => parseCommand(args)).toThrow(
      expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(named) as string }),
    );
  });

  test('without flags asks for the defaults', () => {
    expect(parseCommand([])).toEqual({
      show: undefined,
      quiet: false,
      options: { kmdPort: 4002, indexerPort: 8980, strict: false, config: {} },
    });
  });

  test('reaches the node’s options', () => {
    const config = file('config.json', '{"TxPoolSize": 5, "EnableDeveloperAPI": true}');
    const line =
      '--port 0 --host ::1 --token t --admin-token a --no-auth --quiet --strict --block-time 2.8s --no-developer-api --no-experimental-api';
    const { options, quiet } = parseCommand([...line.split(' '), '--config', config]);
    expect(quiet).toBe(true);
    expect(options).toEqual({
      port: 0,
      host: '::1',
      token: 't',
      adminToken: 'a',
      auth: false,
      strict: true,
      blocks: { everyMs: 2800 },
      // A flag goes before the file.
      config: { TxPoolSize: 5, EnableDeveloperAPI: false, EnableExperimentalAPI: false },
    });
  });

  test('asks for companions on LocalNet’s ports, and with a port of one’s own only for those named', () => {
    expect(parseCommand([]).options).toMatchObject({ kmdPort: 4002, indexerPort: 8980 });
    const { options } = parseCommand(['--port', '4001', '--indexer-port', '0']);
    expect(options).toMatchObject({ port: 4001, indexerPort: 0 });
    expect(options).not.toHaveProperty('kmdPort');
    expect(parseCommand(['--kmd-port', '5']).options).toMatchObject({ kmdPort: 5, indexerPort: 8980 });
  });

  test('reads a kmd_config.json', () => {
    const kmdConfig = { allowed_origins: ['http://localhost:3000'] };
    const line = ['--kmd-config', file('kmd_config.json', JSON.stringify(kmdConfig))];
    expect(parseCommand(line).options).toMatchObject({ kmdConfig });
  });

  test('asks for manual blocks, TestNet, a genesis', () => {
    expect(parseCommand(['--manual', '--network', 'testnet']).options).toMatchObject({
      blocks: 'manual',
      network: 'testnet',
    });
    expect(parseCommand(['--genesis', file('genesis.json', '{}')]).options).toMatchObject({ genesis: '{}' });
  });

  test('is explained flag by flag', () => {
    for (const [name, { help }] of Object.entries(FLAGS)) {
      expect(helpText()).toContain(`--${name}`);
      expect(helpText()).toContain(help);
    }
  });
});
