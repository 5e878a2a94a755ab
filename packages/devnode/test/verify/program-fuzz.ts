// Recorded programs with some bytes changed, as contract accounts: what the node makes of them on two ways in.
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import {
  logicSignature,
  signedTransaction,
  type SignedTransaction,
} from '../../src/codec/schema/signed-transaction.ts';
import { simulateRequest, traceConfig } from '../../src/codec/schema/simulate.ts';
import { DevnodeError } from '../../src/errors.ts';
import { readSimulateRequest } from '../../src/simulate/read-request.ts';
import { programAddress } from '@avm402/teal/program-address';
import { ALICE, testNode, unsigned } from '../chain-fixture.ts';
import { readScenario, scenarioNames } from '../replay/recording.ts';

const TRACE = traceConfig.of({ enable: true, stackChange: true, scratchChange: true });
const ARGS = [Uint8Array.of(1), new Uint8Array(), new Uint8Array(32).fill(7)];

/** Every program of a recorded simulation. */
function recordedPrograms(): Uint8Array[] {
  const requests = scenarioNames('programs').flatMap((name) => readScenario('programs', name).exchanges);
  return requests
    .filter(({ request }) => request.path === '/v2/transactions/simulate' && request.bodyBase64 !== undefined)
    .flatMap(({ request }) => readSimulateRequest(Buffer.from(request.bodyBase64 ?? '', 'base64')).groups ?? [])
    .flatMap(({ transactions = [] }) => transactions.map((signed) => signed.logicSignature.logic))
    .filter((logic) => logic.length > 1);
}

/** What became of the programs. */
export interface ProgramFuzz {
  passed: number;
  rejected: number;
  refused: number;
}

/** Simulates and submits changed programs; each gets a well-formed answer, and the node goes on. */
export async function fuzzNode(numRuns: number): Promise<ProgramFuzz> {
  const programs = recordedPrograms();
  expect(programs.length).toBeGreaterThan(2000);
  const node = testNode({ blocks: 'manual' });
  const counts: ProgramFuzz = { passed: 0, rejected: 0, refused: 0 };
  const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 });
  const property = fc.asyncProperty(fc.nat(), edits, async (chosen, changes) => {
    const logic = Uint8Array.from(programs[chosen % programs.length] ?? []);
    for (const [place, value] of changes) logic[place % logic.length] = value;
    const signed = signedTransaction.of({
      transaction: unsigned(ALICE, node, { sender: programAddress(logic) }),
      logicSignature: logicSignature.of({ logic, args: ARGS }),
    });
    const request = simulateRequest.of({ groups: [{ transactions: [signed] }], traceConfig: TRACE });
    const answer = await node.queries.simulate(encode(simulateRequest, request));
    const [group] = (JSON.parse(answer.toJson()) as { 'txn-groups': { 'failure-message'?: string }[] })['txn-groups'];
    counts[await verdict(node, signed, group?.['failure-message'] ?? '')]++;
  });
  await fc.assert(property, { numRuns });
  expect(node.queries.latestRound).toBe(0n);
  node.close();
  return counts;
}

/** Submitted, the transaction fails for the same reason; its account has nothing, so that it fails in any case. */
async function verdict(
  node: ReturnType<typeof testNode>,
  signed: SignedTransaction,
  simulated: string,
): Promise<keyof ProgramFuzz> {
  const submitted: unknown = await node.submissions
    .submit(encode(signedTransaction, signed), { skipPqAddressCheck: true })
    .catch((error: unknown) => error);
  if (!(submitted instanceof DevnodeError)) throw new Error('the submission was accepted', { cause: submitted });
  expect(submitted.code).toBe('refused');
  const [reason = ''] = simulated.replace(/^transaction \{[^}]*\} invalid : /, '').split(', opcodes=');
  expect(submitted.message).toContain(reason);
  if (!simulated.includes(' invalid : ')) return 'passed';
  return simulated.includes('rejected by logic') ? 'rejected' : 'refused';
}
