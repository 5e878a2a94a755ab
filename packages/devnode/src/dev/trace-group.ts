import { decodeMsgpack, type MsgpackKey, type MsgpackValue } from '@avm402/algorand/msgpack';
import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { JsonSource } from '../codec/json-source.ts';
import { simulateResponse, type TransactionResult } from '../codec/schema/simulate.ts';
import { refused } from '../errors.ts';
import { type ApplicationTrace, applicationTraces } from './application-trace.ts';
import { type DevControlsOptions, request } from './control-client.ts';
import { type TracedStep, tracedSteps } from './traced-step.ts';

/** The run of the program that signs one group member. */
export interface ProgramTrace {
  /** The member's position in its group, from 0. */
  readonly index: number;
  readonly cost: number;
  readonly steps: readonly TracedStep[];
}

/** The result of a group at one state of the ledger. */
export interface GroupTrace {
  /** The programs that sign members. */
  readonly programs: readonly ProgramTrace[];
  /** The programs of applications, those called inside included. */
  readonly applications: readonly ApplicationTrace[];
  /** Why the group would be refused; absent if it passes. */
  readonly failure?: string;
}

export interface TraceGroupRequest {
  /** The group's members, each the msgpack of a signed transaction; those without a signature are taken as signed. */
  readonly transactions: readonly Uint8Array[];
  /** Simulates on the state after this round. Default: the latest one. */
  readonly round?: bigint;
}

/**
 * Simulates a group on any algod of version 4 or later, with every step of its logic signatures and applications.
 * @throws DevnodeError `unreachable`, or `refused` with the node's message
 * @example
 * ```ts
 * import { startDevnode, traceGroup } from '@avm402/devnode';
 *
 * declare const signed: Uint8Array;
 * const node = await startDevnode({ port: 0 });
 * const { failure, programs } = await traceGroup(node, { transactions: [signed] });
 * console.log(failure ?? 'it passes', programs.map(({ steps }) => steps.length));
 * ```
 */
export async function traceGroup(algod: DevControlsOptions, group: TraceGroupRequest): Promise<GroupTrace> {
  const body = Uint8Array.from(encodeRequest(group));
  const answer = await request(algod, '/v2/transactions/simulate?format=json', { method: 'POST', body });
  const { groups } = simulateResponse.read(
    new JsonSource(Buffer.from(await answer.arrayBuffer())),
    simulateResponse.zero,
  );
  const [result] = groups ?? [];
  if (result === undefined) throw refused('the node simulated no group');
  const programs = group.transactions.flatMap((bytes, index) => {
    const program = programOf(bytes);
    const simulated = result.transactions?.[index];
    return program === undefined || simulated === undefined ? [] : [programTrace(program, index, simulated)];
  });
  const applications = await applicationTraces(result.transactions ?? [], (id) => programsOfApplication(algod, id));
  return { programs, applications, ...(result.failureMessage !== '' && { failure: result.failureMessage }) };
}

function encodeRequest({ transactions, round = 0n }: TraceGroupRequest): Uint8Array {
  const writer = new MsgpackWriter().mapHeader(5);
  writer.text('allow-empty-signatures').boolean(true);
  writer.text('exec-trace-config').mapHeader(2);
  writer.text('enable').boolean(true).text('stack-change').boolean(true);
  writer.text('fix-signers').boolean(true);
  writer.text('round').integer(round);
  writer.text('txn-groups').arrayHeader(1).mapHeader(1).text('txns').arrayHeader(transactions.length);
  for (const transaction of transactions) writer.raw(transaction);
  return writer.toBytes();
}

/** The program that signs a transaction, if there is one. */
function programOf(bytes: Uint8Array): Uint8Array | undefined {
  const program = member(member(decodeMsgpack(bytes), 'lsig'), 'l');
  return program instanceof Uint8Array ? program : undefined;
}

function member(value: MsgpackValue | undefined, key: MsgpackKey): MsgpackValue | undefined {
  return value instanceof Map ? value.get(key) : undefined;
}

function programTrace(program: Uint8Array, index: number, result: TransactionResult): ProgramTrace {
  const steps = tracedSteps(program, result.executionTrace?.logicSignatureTrace);
  return { index, cost: Number(result.logicBudgetConsumed), steps };
}

/** Both programs of an application, as the node has them now; none if it has no such application. */
async function programsOfApplication(algod: DevControlsOptions, id: bigint): Promise<readonly Uint8Array[]> {
  const answer = await request(algod, `/v2/applications/${id}`).catch(() => undefined);
  if (answer === undefined) return [];
  const { params } = (await answer.json()) as { readonly params: Readonly<Record<string, string>> };
  return ['approval-program', 'clear-state-program'].map((name) =>
    Uint8Array.from(Buffer.from(params[name] ?? '', 'base64')),
  );
}
