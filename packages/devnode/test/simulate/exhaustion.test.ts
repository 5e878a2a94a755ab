import { describe, expect, test } from 'vitest';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest, type SimulateRequest } from '../../src/codec/schema/simulate.ts';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { ALICE, groupBytes, sign, signedBytes, testNode, unsigned } from '../chain-fixture.ts';

const FREE_BYTES = 8192;
const MOST = 320_000n;

interface Simulated {
  readonly failure: string | undefined;
  /** What the group's programs have cost. */
  readonly cost: number;
  /** The applications that inner transactions created. */
  readonly created: number;
}

interface Member {
  readonly 'application-index'?: number;
  readonly 'inner-txns'?: readonly Member[];
}

/** Creates an application with money, whose program does something when it is called. */
async function create(node: DevelopmentNode, body: string, amount = 10_000_000n): Promise<bigint> {
  const programOf = (lines: string): Uint8Array =>
    assemble(`#pragma version 12\n#pragma typetrack false\n${lines}`).program;
  const approvalProgram = programOf(`txn ApplicationID; bz made\n${body}\nmade: int 1`);
  const creation = { type: 'appl', approvalProgram, clearStateProgram: programOf('int 1'), extraProgramPages: 3 };
  await node.submissions.submit(signedBytes(node, creation));
  const id = 1000n + node.queries.latestRound;
  await node.submissions.submit(signedBytes(node, { receiver: applicationAddress(id), amount }));
  return id;
}

/** Simulates calls of one application by Alice in a group, the first of which have these fields. */
async function simulate(
  node: DevelopmentNode,
  applicationId: bigint,
  {
    calls = 1,
    fields = [],
    ...options
  }: Partial<SimulateRequest> & { calls?: number; fields?: readonly Partial<Transaction>[] } = {},
): Promise<Simulated> {
  const signed = Array.from({ length: calls }, (_, index) => {
    const call = { type: 'appl', applicationId, fee: 300_000n, note: Buffer.of(index) };
    return sign(ALICE, unsigned(ALICE, node, { ...call, ...fields[index] }));
  });
  const transactions = decodeGroup(groupBytes(signed), { maxSize: 16, cut: false });
  const request = simulateRequest.of({ groups: [{ transactions }], ...options });
  const answer = await node.queries.simulate(encode(simulateRequest, request));
  const { 'txn-groups': groups } = JSON.parse(answer.toJson()) as {
    readonly 'txn-groups': readonly {
      readonly 'failure-message'?: string;
      readonly 'app-budget-consumed'?: number;
      readonly 'txn-results': readonly { readonly 'txn-result': Member }[];
    }[];
  };
  const [group] = groups;
  const inner = group?.['txn-results'].flatMap(({ 'txn-result': result }) => result['inner-txns'] ?? []) ?? [];
  return {
    failure: group?.['failure-message'],
    cost: group?.['app-budget-consumed'] ?? 0,
    created: inner.filter((member) => member['application-index'] !== undefined).length,
  };
}

const loop = (body: string): string => `loop:\n${body}\nb loop`;
const inner = (...lines: string[]): string => ['itxn_begin', ...lines, 'itxn_submit'].join('\n');
const pay = 'int pay; itxn_field TypeEnum';

describe('a group can’t exhaust the process:', () => {
  test.each<[string, string, string, (Partial<SimulateRequest> & { calls?: number })?]>([
    ['it runs no longer than its budget', loop(''), 'local program cost was 700'],
    ['nor than that of sixteen calls', loop(''), 'local program cost was 11200', { calls: 16 }],
    ['nor than what a simulation may add', loop(''), 'local program cost was 320700', { extraOpcodeBudget: MOST }],
    ['a call of itself without an end is paid', 'f: callsub f', 'program cost was 320700', { extraOpcodeBudget: MOST }],
    ['a stack has 1,000 values', loop('int 4096; bzero'), 'stack overflow', { extraOpcodeBudget: MOST }],
    ['a value has 4,096 bytes', loop('int 4096; bzero; dup; concat'), 'concat produced a too big (8192) byte-array'],
    ['a number of bytes has 64 of them', 'int 65; bzero; dup; b*', 'math attempted on large byte-array'],
    ['a box has 32,768 bytes', 'byte "b"; int 32769; box_create', 'box size too large: 32769, maximum is 32768'],
    ['a program writes 32 logs', loop('byte ""; log'), 'too many log calls in program. up to 32 is allowed'],
    ['of 1,024 bytes', 'int 1025; bzero; log', 'program logs too large. 1025 bytes >  1024 bytes limit'],
    [
      'and 2,048 where a simulation lifts the limit',
      loop('byte ""; log'),
      'too many log calls in program. up to 2048 is allowed',
      { allowMoreLogging: true, extraOpcodeBudget: MOST },
    ],
    [
      'of 65,536 bytes',
      loop('int 4096; bzero; log'),
      'program logs too large. 69632 bytes >  65536 bytes limit',
      { allowMoreLogging: true },
    ],
    [
      'a group inside has 16 members',
      `itxn_begin\n${loop('itxn_next')}`,
      'too many inner transactions 16 with 256 left',
    ],
    ['all of them are 256', loop(inner(pay)), 'too many inner transactions 1 with 0 left', { calls: 4 }],
    [
      'in groups of whatever size',
      loop(inner(...Array.from({ length: 15 }, () => `${pay}; itxn_next`), pay)),
      'too many inner transactions 1 with 0 left',
      { calls: 4 },
    ],
  ])('%s', async (_, body, text, options) => {
    const node = testNode();
    const { failure, cost } = await simulate(node, await create(node, body), options);
    expect(failure).toContain(text);
    expect(cost).toBeLessThanOrEqual(700 * (options?.calls ?? 1) + Number(options?.extraOpcodeBudget ?? 0n));
  });

  test('a simulation may add no more than 320,000', async () => {
    const node = testNode();
    const id = await create(node, loop(''));
    const text = 'extra budget 320001 > simulation extra budget limit 320000';
    await expect(simulate(node, id, { extraOpcodeBudget: MOST + 1n })).rejects.toThrow(text);
  });

  test('eight calls stand in each other, and a ninth is refused', async () => {
    const node = testNode();
    const ids = [await create(node, '')];
    for (let depth = 1; depth <= 9; depth++) {
      const called = `int appl; itxn_field TypeEnum; int ${ids[0]}; itxn_field ApplicationID`;
      const below = ids.slice(1).map((id) => `int ${id}; itxn_field Applications`);
      ids.unshift(await create(node, inner(called, ...below)));
    }
    const [nine = 0n, eight = 0n, ...others] = ids;
    expect((await simulate(node, eight, { fields: [{ foreignApps: others }] })).failure).toBeUndefined();
    const shared = [{ foreignApps: [eight, ...others.slice(0, 7)] }, { foreignApps: others.slice(7) }];
    const group = { calls: 2, fields: shared };
    expect((await simulate(node, nine, group)).failure).toContain('appl depth (8) exceeded');
  });

  test('inner creations bring at most 256 times the bytes of programs that are free, and what references pay for', async () => {
    const node = testNode();
    // A program in pieces of at most 4,096 bytes, with a clear state program of four bytes.
    const piece = (size: number): string => `int ${size}; bzero; itxn_field ApprovalProgramPages`;
    const creation = (pages: number, ...sizes: readonly number[]): string =>
      inner(
        `int appl; itxn_field TypeEnum; int ${pages}; itxn_field ExtraProgramPages`,
        'byte 0x0c810143; int 4092; bzero; concat; itxn_field ApprovalProgramPages',
        ...sizes.map(piece),
        'byte 0x0c810143; itxn_field ClearStateProgram',
      );
    const last = FREE_BYTES - 4096 - 4;
    const { failure, cost, created } = await simulate(node, await create(node, loop(creation(3, last)), 200_000_000n));
    expect({ failure, created }).toEqual({
      failure: expect.stringContaining('too many inner transactions 1 with 0 left') as unknown,
      created: 256,
    });
    expect(cost).toBeLessThanOrEqual(700 * 257);
    const longer = await create(node, `${creation(4, last + 1)}\n${creation(4, last, 2048)}`);
    expect((await simulate(node, longer)).failure).toContain('write budget exceeded (1 > 0) while creating app');
    const boxes = [{ index: 0n, name: undefined }];
    expect((await simulate(node, longer, { fields: [{ boxes }] })).failure).toContain(
      'write budget exceeded (2049 > 2048)',
    );
  });

  test('a program has 16,384 bytes with all extra pages', async () => {
    const programOf = (length: number): Uint8Array =>
      Uint8Array.from({ length }, (_, index) => [12, 0x81, 1][index] ?? 0x43);
    const creation = (length: number): Partial<Transaction> => ({
      type: 'appl',
      fee: 10_000n,
      approvalProgram: programOf(length),
      clearStateProgram: Uint8Array.of(12, 0x43),
      extraProgramPages: 7,
    });
    const submit = (length: number): Promise<unknown> => {
      const node = testNode();
      return node.submissions.submit(signedBytes(node, creation(length)));
    };
    await expect(submit(16_385)).rejects.toThrow('approval program too long. (16385 > 16384)');
    await expect(submit(16_383)).rejects.toThrow('app programs too long. (16383 + 2 > 16384)');
    await expect(submit(16_382)).rejects.toThrow('write budget exceeded (8192 > 0) while creating app 1001');
  });
});
