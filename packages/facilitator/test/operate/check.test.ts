import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { startDevnode } from '@avm402/devnode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/operate/check.ts';
import { MIGRATIONS } from '../../src/stores/sqlite-schema.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { killPrograms, run, urlOf } from '../program.ts';

let h: DevnodeHarness;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  h = await DevnodeHarness.start();
  folder = await mkdtemp(join(tmpdir(), 'avm402-check-'));
  environment = {
    ALGOD_URL: h.devnode.url,
    ALGOD_TOKEN: h.devnode.token,
    AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
    SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
  };
});

afterAll(async () => {
  killPrograms();
  await h.stop();
  await rm(folder, { recursive: true });
});

const columnsIn = (database: DatabaseSync): string[] =>
  database
    .prepare(`SELECT name FROM pragma_table_info('settlements')`)
    .all()
    .map((row) => String(row['name']));

const problemsOf = async (changes: Record<string, string>): Promise<readonly string[]> =>
  (await checkConfig({ ...environment, ...changes })).problems;

describe('--check', () => {
  it('finds nothing wrong with a good configuration, says what it found, and makes no file', async () => {
    const { problems, found } = await checkConfig(environment);
    expect(problems).toEqual([]);
    const text = found.join('\n');
    expect(text).toContain(h.network);
    expect(text).toContain(`sponsor ${h.account('facilitator').address}`);
    expect(text).toContain('settlements.sqlite');
    expect(await readdir(folder)).toEqual([]);
  });

  it('names the faults of variables, algods, sponsor and store all at once, each with its variable', async () => {
    const testnet = await startDevnode({ port: 0, network: 'testnet', token: 'a'.repeat(64) });
    const problems = await problemsOf({
      ALGOD_URL: `${h.devnode.url},${testnet.url},http://127.0.0.1:1,${h.devnode.url}/`,
      ALGOD_TOKEN: `${h.devnode.token},${'a'.repeat(64)},,${'b'.repeat(64)}`,
      AVM_NETWORK: h.network,
      PORT: 'soon',
      CALLERS_FILE: join(folder, 'none.json'),
      SETTLEMENT_STORE: join(folder, 'no', 'such', 'folder.sqlite'),
    });
    const names = problems.map((line) => line.slice(0, line.indexOf(':'))).toSorted();
    expect(names).toEqual(['ALGOD_TOKEN', 'ALGOD_URL', 'AVM_NETWORK', 'CALLERS_FILE', 'PORT', 'SETTLEMENT_STORE']);
    await testnet.stop();
  });

  it('names a sponsor that can pay for nothing, or that another key signs for, and an asset that is none', async () => {
    const stranger = new Uint8Array(32).fill(91);
    const empty = await problemsOf({ AVM_PRIVATE_KEY: encodePrivateKey(stranger) });
    expect(empty).toEqual([
      expect.stringMatching(/^SPONSOR_PRIVATE_KEY: the sponsor \S+ can't pay for a single payment$/),
    ]);
    const both = await checkConfig({
      ...environment,
      AVM_PRIVATE_KEY: `${environment['AVM_PRIVATE_KEY']},${encodePrivateKey(stranger)}`,
    });
    expect(both.problems).toEqual(empty);
    expect(both.found.join('\n')).toContain(`sponsor ${h.account('facilitator').address}`);
    const other = await problemsOf({
      AVM_PRIVATE_KEY: encodePrivateKey(stranger),
      SPONSOR_ADDRESS: h.account('facilitator').address,
      SPONSOR_ASSETS: '10458941,424242',
    });
    expect(other).toEqual([
      expect.stringContaining(`SPONSOR_PRIVATE_KEY: signs as ${accountFromSeed(stranger).address}`),
      'SPONSOR_ASSETS: there is no asset 424242',
    ]);
  });

  it('names what must be named for this network', async () => {
    const testnet = await startDevnode({ port: 0, network: 'testnet' });
    const problems = await problemsOf({
      ALGOD_URL: testnet.url,
      ALGOD_TOKEN: testnet.token,
      SPONSOR_PAY_TO: h.account('merchant').address,
      SPONSOR_ASSETS: '10458941,1001',
    });
    expect(problems).toContainEqual(expect.stringMatching(/^SPONSOR_MIN_AMOUNT: /));
    await testnet.stop();
    expect(await problemsOf({ CHANNEL_MAX_ROUNDS: '999' })).toEqual([expect.stringMatching(/^CHANNEL_MAX_ROUNDS: /)]);
  });

  it('names a database that does not answer, and not its password', async () => {
    const problems = await problemsOf({ DATABASE_URL: 'postgres://user:canary@127.0.0.1:1/database' });
    expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL: .*ECONNREFUSED/)]);
    expect(problems.join()).not.toContain('canary');
  });

  it('names a file that is no store', async () => {
    const path = join(folder, 'text.sqlite');
    await writeFile(path, 'this is no database at all, though it is long enough to be one');
    expect(await problemsOf({ SETTLEMENT_STORE: path })).toEqual([
      expect.stringMatching(/^SETTLEMENT_STORE: .*not a database/),
    ]);
  });

  it('says of a store of an earlier release that the next start brings it up to date', async () => {
    const path = join(folder, 'early.sqlite');
    const database = new DatabaseSync(path);
    for (const migration of MIGRATIONS.slice(0, 3)) database.exec(migration);
    database.exec('PRAGMA user_version = 3');
    const row = { ...Object.fromEntries(columnsIn(database).map((name) => [name, 1])), group_bytes: null };
    const names = Object.keys(row);
    database
      .prepare(`INSERT INTO settlements (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row).map((value) => (value === null ? null : '1')));
    database.close();
    const { problems, found } = await checkConfig({ ...environment, SETTLEMENT_STORE: path });
    expect(problems).toEqual([]);
    expect(found).toContain(`settlements in ${path}, which the next start brings up to date`);
    const command = run({ SETTLEMENT_STORE: path }, 'settlements');
    expect(await command.exited).toEqual([1, null]);
    expect(command.stderr).toContain(
      'its schema is of an earlier release; the next start of a facilitator brings it up to date',
    );
  });

  it('names a store that only a later release can work with', async () => {
    const path = join(folder, 'late.sqlite');
    const database = new DatabaseSync(path);
    for (const migration of MIGRATIONS) database.exec(migration);
    database.exec('UPDATE store SET oldest_reader = 1000; PRAGMA user_version = 1000');
    database.close();
    expect(await problemsOf({ SETTLEMENT_STORE: path })).toEqual([
      expect.stringMatching(/^SETTLEMENT_STORE: .*schema 1000 is for programs that know/),
    ]);
  });

  it('ends with 0 or 1, beside a facilitator that runs with the same configuration', async () => {
    await urlOf(run({ ...environment, PORT: '0' }));
    const good = run(environment, '--check');
    expect(await good.exited).toEqual([0, null]);
    expect(good.stdout).toMatch(/^ok +127\.0\.0\.1:\d+: algorand:/m);
    const bad = run({ ...environment, PORT: 'soon', ALGOD_TOKEN: 'b'.repeat(64) }, '--check');
    expect(await bad.exited).toEqual([1, null]);
    expect(bad.stderr).toMatch(/^problem +PORT: /m);
    expect(bad.stderr).toMatch(/^problem +ALGOD_TOKEN: /m);
    expect(bad.stderr).not.toContain('b'.repeat(64));
  });
});
