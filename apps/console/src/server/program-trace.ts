import { disassembleWithPlaces } from '@avm402/teal/disassemble';
import { z } from 'zod';
import type { NodeAccess } from './node-access.ts';

/** An instruction that ran: its line of TEAL, and what it left on the stack. */
interface TracedStep {
  readonly pc: number;
  readonly line: string;
  /** Values that it took off the stack. */
  readonly popped: number;
  /** Values that it put there: integers as decimals, bytes as `0x…`. */
  readonly pushed: readonly string[];
}

/** What the program of one member of a group did. */
interface ProgramTrace {
  /** Place of the member in its group, from 0. */
  readonly index: number;
  readonly cost: number;
  readonly steps: readonly TracedStep[];
}

/** A group run again at the state before its block. */
export interface GroupTrace {
  readonly programs: readonly ProgramTrace[];
  /** Why it fails at that state; absent: it passes, as it did. */
  readonly failure?: string;
}

const whole = z.union([z.number(), z.bigint()]).transform(Number);
const signedTransaction = z.looseObject({
  lsig: z.looseObject({ l: z.base64() }).optional(),
  txn: z.looseObject({ grp: z.string().optional() }),
});
const pending = z.object({ 'confirmed-round': whole.optional(), txn: signedTransaction });
const block = z.object({ block: z.object({ txns: z.array(signedTransaction).default([]) }) });
const blockIds = z.object({ blockTxids: z.array(z.string()).default([]) });
const stackValue = z.object({
  type: whole,
  bytes: z.base64().default(''),
  uint: z.union([z.number(), z.bigint()]).default(0),
});
const step = z.object({
  pc: whole,
  'stack-additions': z.array(stackValue).default([]),
  'stack-pop-count': whole.default(0),
});
const simulated = z.object({
  'txn-groups': z.tuple([
    z.object({
      'failure-message': z.string().optional(),
      'txn-results': z.array(
        z.object({
          'exec-trace': z.object({ 'logic-sig-trace': z.array(step).default([]) }).optional(),
          'logic-sig-budget-consumed': whole.default(0),
        }),
      ),
    }),
  ]),
});

type SignedTransaction = z.infer<typeof signedTransaction>;

/**
 * Runs the group of a transaction again, at the state before its block, with every step of its programs.
 * @throws X402Error `algod_unreachable`, `algod_bad_answer`
 */
export async function traceOf(node: NodeAccess, transactionId: string): Promise<GroupTrace> {
  const { round, group } = await groupOf(node, transactionId);
  if (round === undefined || group.every(({ lsig }) => lsig === undefined)) return { programs: [] };
  const answer = await node.json('transactions/simulate', {
    'txn-groups': [{ txns: group }],
    round: round - 1,
    'exec-trace-config': { enable: true, 'stack-change': true },
  });
  const [result] = simulated.parse(answer)['txn-groups'];
  const failure = result['failure-message'];
  const programs = group.flatMap(({ lsig }, index) => {
    const member = result['txn-results'][index];
    if (lsig === undefined || member === undefined) return [];
    const steps = listed(Buffer.from(lsig.l, 'base64'), member['exec-trace']?.['logic-sig-trace'] ?? []);
    return [{ index, cost: member['logic-sig-budget-consumed'], steps }];
  });
  return { programs, ...(failure !== undefined && { failure }) };
}

/** The signed members of its group, in order, each as the node has it: a block leaves out parts of what was signed. */
async function groupOf(
  node: NodeAccess,
  transactionId: string,
): Promise<{ readonly round: number | undefined; readonly group: readonly SignedTransaction[] }> {
  const signed = async (id: string) => pending.parse(await node.json(`transactions/pending/${encodeURIComponent(id)}`));
  const { 'confirmed-round': round, txn } = await signed(transactionId);
  const { grp } = txn.txn;
  if (round === undefined || grp === undefined) return { round, group: [txn] };
  const { txns } = block.parse(await node.json(`blocks/${round}`)).block;
  const { blockTxids } = blockIds.parse(await node.json(`blocks/${round}/txids`));
  const ids = blockTxids.filter((_, index) => txns[index]?.txn.grp === grp);
  const members = await Promise.all(ids.map(signed));
  return { round, group: members.map((member) => member.txn) };
}

function listed(program: Uint8Array, trace: readonly z.infer<typeof step>[]): TracedStep[] {
  const { text, instructions } = disassembleWithPlaces(program);
  const lines = new Map(instructions.map(({ pc, offset }) => [pc, text.slice(offset, text.indexOf('\n', offset))]));
  return trace.map(({ pc, 'stack-additions': additions, 'stack-pop-count': popped }) => ({
    pc,
    line: lines.get(pc) ?? '',
    popped,
    pushed: additions.map(({ type, bytes, uint }) =>
      type === 1 ? `0x${Buffer.from(bytes, 'base64').toString('hex')}` : uint.toString(),
    ),
  }));
}
