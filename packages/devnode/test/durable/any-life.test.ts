import { readLeases } from '../../src/state-file/parts.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { localControls } from '../../src/dev/control-table.ts';
import { DevelopmentNode } from '../../src/development-node.ts';
import { DataDirectory } from '../../src/durable/data-directory.ts';
import { DevnodeError } from '../../src/errors.ts';
import { bytesSource, FrameReader } from '../../src/state-file/frames.ts';
import { parseRecord } from '../../src/state-file/record.ts';
import { ALICE, BOB, CAROL, testGenesis, uniquePayment } from '../chain-fixture.ts';
import { answersOf, liveThrough } from '../state-file/rich-chain.ts';

/** Something that happens to a node. */
type Event = (node: DevelopmentNode, life: Life) => unknown;

/** What events remember for later ones. */
interface Life {
  readonly files: Uint8Array[];
  readonly snapshots: number[];
}

const someone = fc.constantFrom(ALICE, BOB, CAROL);
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.constant<Event>((node) => node.submissions.submit(uniquePayment(node))),
  fc.constant<Event>((node) => node.submissions.submit(uniquePayment(node, { lease: new Uint8Array(32).fill(3) }))),
  someone.map(
    (account): Event =>
      (node) =>
        localControls(node).fund(account.address, 7n),
  ),
  someone.map(
    (account): Event =>
      (node) =>
        localControls(node).setAuthAddress(account.address, BOB.address),
  ),
  fc.integer({ min: 1, max: 20 }).map(
    (rounds): Event =>
      (node) =>
        node.controls.mine(rounds),
  ),
  fc.bigInt(0n, 100n).map(
    (offset): Event =>
      (node) =>
        Object.assign(node.clock, { offset }),
  ),
  fc.bigInt(1n, 100n).map(
    (seconds): Event =>
      (node) =>
        node.controls.increaseTime(seconds),
  ),
  fc.constant<Event>((node, { files }) => files.push(node.controls.dump())),
  fc.constant<Event>((node, { snapshots }) => snapshots.push(node.controls.takeSnapshot().id)),
  fc.nat().map(
    (at): Event =>
      (node, { files }) =>
        files.length > 0 && node.controls.load(chosen(files, at)),
  ),
  fc.nat().map(
    (at): Event =>
      (node, { snapshots }) =>
        snapshots.length > 0 && node.controls.revert(chosen(snapshots, at)),
  ),
  fc.constant<Event>((node) => node.controls.reset()),
);

function chosen<T>(things: readonly T[], at: number): T {
  const thing = things[at % things.length];
  if (thing === undefined) throw new Error('there is nothing to choose from');
  return thing;
}

async function opened(path: string): Promise<{ readonly node: DevelopmentNode; readonly data: DataDirectory }> {
  const data = await DataDirectory.open(path, (text) => {
    throw new Error(text);
  });
  return { node: new DevelopmentNode({ genesis: testGenesis(), data, now: () => 1_700_000_000_000 }), data };
}

/** A lease that is taken, a snapshot that is gone: then nothing has happened. */
async function refusedOrDone(happen: () => unknown): Promise<void> {
  try {
    await happen();
  } catch (error) {
    if (!(error instanceof DevnodeError)) throw error;
  }
}

/** All that is known of a node: its answers, its clock, and the leases that are held. */
function told(node: DevelopmentNode): unknown {
  return { answers: answersOf(node), clock: node.clock.setting, leases: leasesOf(node) };
}

/** The leases of each block. */
function leasesOf(node: DevelopmentNode): unknown[] {
  const reader = new FrameReader(bytesSource('the dump', node.controls.dump()));
  const leases: unknown[] = [];
  for (let body = reader.next(); body !== undefined; body = reader.next()) {
    const { block } = parseRecord(body);
    if (block !== undefined) leases.push(readLeases(block.leases ?? []));
  }
  return leases;
}

test('whatever happens to a node, the next one in its directory is the same and goes on in the same way', () =>
  fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const path = mkdtempSync(join(tmpdir(), 'devnode-life-'));
      const first = await opened(path);
      const life: Life = { files: [], snapshots: [] };
      for (const happen of events) {
        await refusedOrDone(() => happen(first.node, life));
      }
      const before = told(first.node);
      first.node.close();
      await first.data.close();
      const second = await opened(path);
      expect(told(second.node)).toEqual(before);
      await localControls(second.node).fund(ALICE.address, 1n);
      expect(second.node.queries.latestRound).toBe(first.node.queries.latestRound + 1n);
      second.node.close();
      await second.data.close();
      rmSync(path, { recursive: true });
    }),
    { numRuns: 40 },
  ));

test('a directory keeps everything that a ledger remembers, applications included', async () => {
  const path = mkdtempSync(join(tmpdir(), 'devnode-rich-'));
  const first = await opened(path);
  await liveThrough(first.node);
  const before = told(first.node);
  first.node.close();
  await first.data.close();
  const second = await opened(path);
  expect(told(second.node)).toEqual(before);
  second.node.close();
  await second.data.close();
  rmSync(path, { recursive: true });
});
