import {
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { testGenesis } from '../chain-fixture.ts';
import { post, signedPayment } from '../rest/signed-payments.ts';

let folder: string;
const running: Devnode[] = [];
const notices: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'devnode-data-'));
});
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
  notices.length = 0;
  rmSync(folder, { recursive: true });
});

const path = (name: string): string => join(folder, name);
const log = (): string => path('data/chain.log');

async function started(options: DevnodeOptions = {}): Promise<Devnode> {
  const node = await startDevnode({
    port: 0,
    data: path('data'),
    onNotice: (text) => void notices.push(text.replaceAll(folder, '')),
    ...options,
  });
  running.push(node);
  return node;
}

async function startedWith(state: Uint8Array): Promise<Devnode> {
  const node = await startDevnode({ port: 0, state });
  running.push(node);
  return node;
}

const token = (node: Devnode) => ({ 'X-Algo-API-Token': node.token });

async function stopped(node: Devnode): Promise<void> {
  running.splice(running.indexOf(node), 1);
  await node.stop();
}

async function pay(node: Devnode): Promise<void> {
  expect((await post(node, '/v2/transactions', signedPayment(node))).status).toBe(200);
}

async function timestampOf(node: Devnode, round: number): Promise<unknown> {
  const answer = await fetch(`${node.url}/v2/blocks/${round}?header-only=true`, { headers: token(node) });
  return ((await answer.json()) as { block: { ts: number } }).block.ts;
}

async function onlineStake(node: Devnode): Promise<bigint> {
  const answer = await fetch(`${node.url}/v2/ledger/supply`, { headers: token(node) });
  return BigInt(/"online-stake":(\d+)/.exec(await answer.text())?.[1] ?? -1);
}

/** What is kept of a node, as one value. */
function contents(node: Devnode): unknown {
  const balances = Object.values(node.accounts).map(({ address }) => node.balance(address));
  return { round: node.latestRound, genesis: [node.genesisId, node.genesisHash], balances };
}

describe('a node with a data directory', () => {
  test('goes on where it stopped, gifts, clock and all', async () => {
    const node = await started();
    await pay(node);
    await node.fund(node.accounts.merchant.address, 5n);
    await node.deal(node.accounts.dispenser.address, 10_458_941n, 7n);
    await node.mine(3);
    const offset = '/v2/devmode/blocks/offset';
    await fetch(`${node.url}${offset}/9`, { method: 'POST', headers: token(node) });
    const before = contents(node);
    await stopped(node);
    const again = await started();
    expect(contents(again)).toEqual(before);
    expect(await (await fetch(again.url + offset, { headers: token(again) })).json()).toEqual({ offset: 9 });
    await pay(again);
    expect(again.latestRound).toBe(7n);
    expect(notices).toEqual([]);
  });

  test('keeps the time that was set, for the next block and for those after it', async () => {
    const node = await started({ now: () => 1_700_000_000_000 });
    await node.setTime(1_800_000_000);
    await stopped(node);
    const again = await started({ now: () => 1_700_000_005_000 });
    await again.mine(2);
    await stopped(again);
    const last = await started({ now: () => 1_700_000_006_000 });
    await last.mine();
    const times = await Promise.all([1, 2, 3].map((round) => timestampOf(last, round)));
    expect(times).toEqual([1_800_000_000, 1_800_000_005, 1_800_000_006]);
  });

  test.each([
    ['in the directory', async (node: Devnode) => (await stopped(node), started())],
    ['in a state file', async (node: Devnode) => startedWith(await node.dump())],
  ])('keeps a time that stands still and a pause, %s', async (_, goOn) => {
    const node = await started();
    await fetch(`${node.url}/v2/devmode/blocks/offset/0`, { method: 'POST', headers: token(node) });
    await node.pause();
    const again = await goOn(node);
    expect(await again.state()).toMatchObject({ paused: true, timestampOffset: 0n });
    await pay(again);
    expect(again.latestRound).toBe(0n);
    await again.resume();
    await again.mine();
    expect(await timestampOf(again, 2)).toBe(await timestampOf(again, 1));
  });

  test('goes on from the snapshot that it returned to', async () => {
    const node = await started();
    await pay(node);
    const before = contents(node);
    const snapshot = await node.snapshot();
    await pay(node);
    await node.revert(snapshot);
    await stopped(node);
    const again = await started();
    expect(contents(again)).toEqual(before);
    await again.mine();
    await again.reset();
    await stopped(again);
    expect(contents(await started())).toEqual(before);
  });

  test('remembers which payments it has', async () => {
    const node = await started();
    const payment = signedPayment(node);
    await post(node, '/v2/transactions', payment);
    await stopped(node);
    const again = await post(await started(), '/v2/transactions', payment);
    expect(await again.json()).toMatchObject({ message: expect.stringContaining('transaction already in ledger') });
  });

  test('goes on with the genesis that it began with, and refuses to be asked for another', async () => {
    await stopped(await started({ network: 'testnet' }));
    const again = await started();
    expect(again.genesisId).toBe('testnet-v1.0');
    await stopped(again);
    await stopped(await started({ network: 'testnet' }));
    await expect(started({ genesis: testGenesis() })).rejects.toMatchObject({ code: 'invalid_state_file' });
    expect((await started()).genesisId).toBe('testnet-v1.0');
  });

  test('begins with a state file, which a directory that holds a chain already does not take', async () => {
    const node = await started();
    await node.mine(5);
    const state = await node.dump();
    await stopped(node);
    const copy = await started({ data: path('copy'), state });
    await copy.mine();
    await stopped(copy);
    const again = await started({ data: path('copy'), state });
    expect(again.latestRound).toBe(6n);
    expect(notices).toEqual(['/copy holds a chain already: the state file is not loaded']);
  });

  test('goes on from the state that it loaded while it ran', async () => {
    const node = await started();
    await pay(node);
    const [state, before] = [await node.dump(), contents(node)];
    await pay(node);
    await node.load(state);
    await stopped(node);
    expect(contents(await started())).toEqual(before);
  });

  test('keeps each block, whatever a listener does that is told of it', async () => {
    const faults: unknown[] = [];
    const node = await started({ onInternalError: (error) => void faults.push(error) });
    const told: bigint[] = [];
    const fail = (): never => {
      throw new Error('a listener of the program');
    };
    await node.listen({ onEvent: fail, onEnd: fail });
    await node.listen({ onEvent: ({ round }) => void told.push(round), onEnd: () => {} });
    await node.mine();
    await pay(node);
    expect(told).toEqual([1n, 2n]);
    await stopped(node);
    expect(faults).toHaveLength(3);
    expect((await started()).latestRound).toBe(2n);
  });

  test('that can’t write the log of another state answers nothing more, and goes on from the old log', async () => {
    const node = await started({ onInternalError: () => {} });
    await pay(node);
    const snapshot = await node.snapshot();
    await pay(node);
    mkdirSync(path('data/chain.log.new/full'), { recursive: true });
    await expect(node.revert(snapshot)).rejects.toMatchObject({ code: 'internal' });
    await expect(node.mine()).rejects.toMatchObject({ code: 'internal' });
    expect((await post(node, '/v2/transactions', signedPayment(node))).status).toBe(500);
    running.splice(running.indexOf(node), 1);
    await expect(node.stop()).rejects.toMatchObject({ code: 'internal' });
    rmSync(path('data/chain.log.new'), { recursive: true });
    expect((await started()).latestRound).toBe(2n);
  });

  test('that could not write the log of another state keeps everything again once it can', async () => {
    const node = await started({ onInternalError: () => {} });
    await pay(node);
    mkdirSync(path('data/chain.log.new/full'), { recursive: true });
    await expect(node.reset()).rejects.toMatchObject({ code: 'internal' });
    rmSync(path('data/chain.log.new'), { recursive: true });
    await node.reset();
    await node.mine(3);
    await stopped(node);
    expect((await started()).latestRound).toBe(3n);
  });

  test('is alone with it, by whatever path the other comes', async () => {
    const node = await started();
    symlinkSync(path('data'), path('another-name'));
    await expect(started()).rejects.toMatchObject({ code: 'directory_in_use' });
    await expect(started({ data: path('another-name') })).rejects.toMatchObject({ code: 'directory_in_use' });
    await stopped(node);
    await started({ data: path('another-name') });
  });

  test('gives the directory free when it can’t start', async () => {
    const taken = await started({ data: path('other') });
    const { port } = new URL(taken.url);
    await expect(started({ port: Number(port) })).rejects.toMatchObject({ code: 'port_taken' });
    await started();
  });

  test('stops once, however often it is told to', async () => {
    const node = await started();
    await stopped(node);
    await node.stop();
    await started();
  });

  test('that can’t write a snapshot says so, and tries again only after as many blocks', async () => {
    const node = await started();
    mkdirSync(path('data/snapshot.new/full'), { recursive: true });
    await node.mine(10_000);
    for (let count = 0; count < 5; count++) await node.mine();
    expect(notices).toEqual([expect.stringContaining('no snapshot could be written')]);
  });

  test('writes nothing once it has stopped: the number of its log may be that of another file by then', async () => {
    const node = await started();
    await stopped(node);
    const files = Array.from({ length: 64 }, (_, index) => openSync(path(`file-${index}`), 'a'));
    try {
      const outcome: unknown = await node.pause().catch((error: unknown) => error);
      expect(files.filter((file) => fstatSync(file).size > 0)).toEqual([]);
      expect(outcome).toMatchObject({ code: 'shutting_down' });
    } finally {
      for (const file of files) closeSync(file);
    }
  });

  test('names a path that is no directory, and a log that is no file', async () => {
    writeFileSync(path('file'), '');
    await expect(started({ data: path('file') })).rejects.toMatchObject({ code: 'invalid_options' });
    mkdirSync(path('strange/chain.log'), { recursive: true });
    const refused = started({ data: path('strange') });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(refused).rejects.toThrow(/strange can’t be used: EISDIR/);
  });
});

describe('a data directory', () => {
  beforeEach(async () => {
    const node = await started();
    for (let count = 0; count < 4; count++) await pay(node);
    await stopped(node);
  });

  test.each([1, 5, 13, 100])('whose last write was cut off by %i bytes loses only that, and says so', async (bytes) => {
    const before = readFileSync(log());
    truncateSync(log(), before.length - bytes);
    const node = await started();
    expect(node.latestRound).toBe(3n);
    expect(notices).toEqual([
      expect.stringMatching(/^\/data\/chain\.log: the last write was cut off; \d+ bytes after block 3 are dropped$/),
    ]);
    await pay(node);
    await stopped(node);
    expect((await started()).latestRound).toBe(4n);
    expect(notices).toHaveLength(1);
  });

  test('that a loss of power filled with zeros goes on before them', async () => {
    truncateSync(log(), readFileSync(log()).length + 5000);
    const node = await started();
    expect(node.latestRound).toBe(4n);
    expect(notices).toEqual([expect.stringContaining('5000 bytes after block 4 are dropped')]);
  });

  test('that is damaged in the middle is refused by name and place, and left as it is', async () => {
    const bytes = readFileSync(log());
    const middle = bytes.length - 2000;
    bytes[middle] = (bytes[middle] ?? 0) ^ 4;
    writeFileSync(log(), bytes);
    const refused = started();
    await expect(refused).rejects.toMatchObject({ code: 'damaged_state_file' });
    await expect(refused).rejects.toThrow(/chain\.log is damaged at byte \d+$/);
    expect(readFileSync(log()).equals(bytes)).toBe(true);
  });

  test('that is damaged is good again up to the byte that the node names', async () => {
    const bytes = readFileSync(log());
    bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 4;
    writeFileSync(log(), bytes);
    let reason = '';
    await started().catch((error: unknown) => (reason = String(error)));
    truncateSync(log(), Number(/is damaged at byte (\d+)$/.exec(reason)?.[1]));
    expect((await started()).latestRound).toBe(3n);
    expect(notices).toEqual([]);
  });

  test('whose last block is damaged is refused, too: its payment was answered', async () => {
    const bytes = readFileSync(log());
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(log(), bytes);
    await expect(started()).rejects.toMatchObject({ code: 'damaged_state_file' });
  });

  test('that was interrupted while a new log was being written goes on with the old one', async () => {
    writeFileSync(`${log()}.new`, readFileSync(log()).subarray(0, 3000));
    expect((await started()).latestRound).toBe(4n);
  });
});

describe('snapshots', () => {
  const snapshot = (): string => path('data/snapshot');
  const made = mkdtempSync(join(tmpdir(), 'devnode-data-'));
  beforeAll(async () => {
    const node = await startDevnode({ port: 0, data: join(made, 'data') });
    await node.mine(9_989);
    await node.fund(node.accounts.dispenser.address, 1n);
    for (let count = 0; count < 15; count++) await node.fund(node.accounts.merchant.address, 1n);
    await node.stop();
  });
  beforeEach(() => cpSync(made, folder, { recursive: true }));
  afterAll(() => rmSync(made, { recursive: true }));

  test('are made while the node runs, and the node goes on from there and from the log', async () => {
    expect(existsSync(snapshot())).toBe(true);
    const node = await started();
    expect(node.latestRound).toBe(10_005n);
    expect(node.balance(node.accounts.merchant.address).microAlgos).toBe(1_000_000_000_015n);
    expect(notices).toEqual([]);
    const before = await onlineStake(node);
    await node.mine(304);
    expect(await onlineStake(node)).toBe(before);
    await node.mine();
    expect(await onlineStake(node)).toBe(before + 1n);
  });

  test('are only a help: a damaged one is named, and the log read instead', async () => {
    const bytes = readFileSync(snapshot());
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    writeFileSync(snapshot(), bytes);
    const node = await started();
    expect(node.balance(node.accounts.merchant.address).microAlgos).toBe(1_000_000_000_015n);
    expect(notices).toEqual([
      expect.stringMatching(/^\/data\/snapshot is damaged at byte \d+; the state is read from the log instead$/),
    ]);
  });

  test('show a log from which blocks are missing', async () => {
    truncateSync(log(), readFileSync(log()).length >> 1);
    await expect(started()).rejects.toThrow(/chain\.log is damaged: block 10000 is missing or another one$/);
    rmSync(log());
    await expect(started()).rejects.toThrow(/has a snapshot, but its chain\.log is missing$/);
  });

  test('are gone when the node went on from another state', async () => {
    const node = await started();
    await node.load(await (await started({ data: path('other') })).dump());
    await stopped(node);
    expect(existsSync(snapshot())).toBe(false);
    expect((await started()).latestRound).toBe(0n);
  });
});
