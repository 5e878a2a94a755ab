import { decodedOr, decodeJson, decodeMsgpack } from '../codec/decode.ts';
import { encode } from '../codec/document.ts';
import { signedTransaction, type SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { simulateRequest, simulateResponse, traceConfig, type TransactionResult } from '../codec/schema/simulate.ts';
import { refused } from '../errors.ts';
import { type ApplicationTrace, applicationTraces } from './application-trace.ts';
import { type DevControlsOptions, memberOf, request } from './control-client.ts';
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
  /** Simulates on the state after this round. 0, as in algod, and by default: the latest one. */
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
  const transactions = group.transactions.map(readMember);
  const asked = simulateRequest.of({
    groups: [{ transactions }],
    round: group.round ?? 0n,
    allowEmptySignatures: true,
    fixSigners: true,
    traceConfig: traceConfig.of({ enable: true, stackChange: true }),
  });
  const body = Uint8Array.from(encode(simulateRequest, asked));
  const answer = await request(algod, '/v2/transactions/simulate?format=json', { method: 'POST', body });
  const { groups } = decodeJson(simulateResponse, answer);
  const [result] = groups ?? [];
  if (result === undefined) throw refused('the node simulated no group');
  const programs = transactions.flatMap(({ logicSignature: { logic } }, index) => {
    const simulated = result.transactions?.[index];
    return logic.length === 0 || simulated === undefined ? [] : [programTrace(logic, index, simulated)];
  });
  const applications = await applicationTraces(result.transactions ?? [], (id) => programsOfApplication(algod, id));
  return { programs, applications, ...(result.failureMessage !== '' && { failure: result.failureMessage }) };
}

function readMember(bytes: Uint8Array, index: number): SignedTransaction {
  const problem = `member ${index} of the group is not a signed transaction`;
  return decodedOr(problem, () => decodeMsgpack(signedTransaction, bytes));
}

function programTrace(program: Uint8Array, index: number, result: TransactionResult): ProgramTrace {
  const steps = tracedSteps(program, result.executionTrace?.logicSignatureTrace);
  return { index, cost: Number(result.logicBudgetConsumed), steps };
}

/** Both programs of an application, as the node has them now; none if it has no such application. */
async function programsOfApplication(algod: DevControlsOptions, id: bigint): Promise<readonly Uint8Array[]> {
  const answer = await request(algod, `/v2/applications/${id}`).catch(() => undefined);
  if (answer === undefined) return [];
  const params = memberOf(JSON.parse(Buffer.from(answer).toString()), 'params');
  return ['approval-program', 'clear-state-program'].map((name) => {
    const program = memberOf(params, name);
    return Uint8Array.from(Buffer.from(typeof program === 'string' ? program : '', 'base64'));
  });
}
