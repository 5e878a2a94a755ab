import { describe, expect, test } from 'vitest';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { simulateRequest } from '../../src/codec/schema/simulate.ts';
import { stateSchema, type Transaction } from '../../src/codec/schema/transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { addressOf, ALICE, BOB, groupBytes, sign, signedBytes, testNode, unsigned } from '../chain-fixture.ts';

const NOTHING = {
  address: new Uint8Array(32),
  asset: 0n,
  application: 0n,
  holding: { address: 0n, asset: 0n },
  locals: { address: 0n, application: 0n },
  box: { index: 0n, name: undefined },
};

interface Traced {
  readonly 'initial-states'?: { readonly 'app-initial-states'?: readonly object[] };
  readonly 'txn-groups': readonly {
    readonly 'failed-at'?: readonly number[];
    readonly 'txn-results': readonly {
      readonly 'txn-result': { readonly 'inner-txns'?: readonly object[]; readonly 'local-state-delta'?: unknown };
      readonly 'exec-trace'?: {
        readonly 'inner-trace'?: readonly object[];
        readonly 'approval-program-trace'?: readonly { readonly 'spawned-inners'?: readonly number[] }[];
      };
    }[];
  }[];
}

/** An application with money, whose program does something when it is called and not when it is created. */
async function create(node: DevelopmentNode, body: string, version = 10): Promise<bigint> {
  const programOf = (lines: string): Uint8Array => assemble(`#pragma version ${version}\n${lines}`).program;
  const approvalProgram = programOf(`txn ApplicationID; bz made\ntxn OnCompletion; bnz made\n${body}\nmade: int 1`);
  const creation = { type: 'appl', approvalProgram, clearStateProgram: programOf('int 1') };
  const localStateSchema = stateSchema.of({ byteSlices: 1n });
  await node.submissions.submit(signedBytes(node, { ...creation, localStateSchema }));
  const id = 1000n + node.queries.latestRound;
  await node.submissions.submit(signedBytes(node, { receiver: applicationAddress(id), amount: 1_000_000n }));
  return id;
}

/** Simulates a group of calls of Alice with a trace of everything. */
async function traced(node: DevelopmentNode, ...group: readonly Partial<Transaction>[]): Promise<Traced> {
  const signed = group.map((fields) => sign(ALICE, unsigned(ALICE, node, { fee: 10_000n, ...fields })));
  const transactions = decodeGroup(groupBytes(signed), { maxSize: 16, cut: false });
  const traceConfig = { enable: true, stackChange: false, scratchChange: false, stateChange: true };
  const request = simulateRequest.of({ groups: [{ transactions }], traceConfig });
  const answer = await node.queries.simulate(encode(simulateRequest, request));
  return JSON.parse(answer.toJson()) as Traced;
}

describe('the trace of a call', () => {
  test('shows of an inner group the members that were begun, though the group is there as a whole', async () => {
    const node = testNode();
    const pay = (amount: number): string =>
      `int pay; itxn_field TypeEnum; int ${amount}; itxn_field Amount; txn Sender; itxn_field Receiver`;
    const group = `itxn_begin\n${[1, 9_000_000, 2, 3].map(pay).join('\nitxn_next\n')}\nitxn_submit`;
    const id = await create(node, `itxn_begin\n${pay(4)}\nitxn_submit\n${group}`);
    const { 'txn-groups': groups } = await traced(node, { type: 'appl', applicationId: id });
    const [{ 'failed-at': failedAt, 'txn-results': results } = { 'txn-results': [] }] = groups;
    expect(failedAt).toEqual([0, 2]);
    const [{ 'txn-result': result, 'exec-trace': trace } = { 'txn-result': {} }] = results;
    expect(result['inner-txns']).toHaveLength(5);
    expect(trace?.['inner-trace']).toEqual([{}, {}, {}]);
    const spawned = trace?.['approval-program-trace']?.flatMap((step) => step['spawned-inners'] ?? []);
    expect(spawned).toEqual([0, 1, 2]);
  });

  test('shows a refused first write to the state of an account that another member lists, without the account', async () => {
    const node = testNode();
    const id = await create(node, `addr ${BOB.address}; byte "k"; txna ApplicationArgs 0; app_local_put`);
    const call = { type: 'appl', applicationId: id };
    await node.submissions.submit(signedBytes(node, { ...call, onCompletion: 1n }, BOB));
    const deltaOf = async (bytes: number): Promise<unknown> => {
      const writes = { ...call, applicationArgs: [new Uint8Array(bytes)] };
      const { 'txn-groups': groups } = await traced(node, writes, {
        ...call,
        onCompletion: 1n,
        accounts: [addressOf(BOB)],
      });
      return groups[0]?.['txn-results'][0]?.['txn-result']['local-state-delta'];
    };
    const delta = [{ key: 'aw==', value: expect.objectContaining({ action: 1 }) as unknown }];
    expect(await deltaOf(1)).toEqual([{ address: BOB.address, delta }]);
    expect(await deltaOf(129)).toEqual([{ address: 'Invalid Account Index 1 in LocalDelta', delta }]);
  });
});

describe('the initial states of a trace', () => {
  const [key, none] = [Buffer.from('k').toString('base64'), { type: 0 }];
  const states = async (body: string, version: number, fields: Partial<Transaction> = {}): Promise<unknown> => {
    const node = testNode();
    const id = await create(node, body, version);
    await node.submissions.submit(signedBytes(node, { type: 'appl', applicationId: id, onCompletion: 1n }, BOB));
    const answer = await traced(node, { type: 'appl', applicationId: id, ...fields });
    return answer['initial-states']?.['app-initial-states'];
  };
  const bob = `addr ${BOB.address}`;
  const unnamed = { 'app-locals': [{ kvs: [{ key, value: none }] }] };
  const named = { 'app-locals': [{ account: BOB.address, kvs: [{ key, value: none }] }] };

  test('name no account that the program may not look at', async () => {
    expect(await states(`${bob}; byte "k"; app_local_get; pop`, 10)).toEqual([{ id: 1001, ...unnamed }]);
    const listed = { accounts: [addressOf(BOB)] };
    expect(await states(`${bob}; byte "k"; app_local_get; pop`, 10, listed)).toEqual([{ id: 1001, ...named }]);
  });

  test('name neither account nor application that the program may only look at apart', async () => {
    const other = await states(`${bob}; int 777; byte "k"; app_local_get_ex; pop; pop`, 10, {
      access: [
        { ...NOTHING, address: addressOf(BOB) },
        { ...NOTHING, application: 777n },
      ],
    });
    expect(other).toEqual([{ id: 0, ...unnamed }]);
  });

  test('name no account that an old program may not write to, though it may read it', async () => {
    const body = 'global CurrentApplicationAddress; byte "k"; app_local_del';
    expect(await states(body, 8)).toEqual([{ id: 1001, ...unnamed }]);
  });
});
