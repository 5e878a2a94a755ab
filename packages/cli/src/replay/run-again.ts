import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { X402Error } from '@avm402/core/errors';
import type { Replay } from '@avm402/core/replay';
import {
  type Devnode,
  DevnodeError,
  type GroupTrace,
  type ProgramTrace,
  startDevnode,
  traceGroup,
} from '@avm402/devnode';
import { type CheckedAgain, checkAsSeller } from './check-as-seller.ts';
import { replayedMember } from './replayed-member.ts';
import { verifyAsFacilitator } from './verify-as-facilitator.ts';

/** How a payment ended when it was run again. */
export interface ReplayResult {
  /** The checks of seller and facilitator, in order; empty if no message with the payment was recorded. */
  readonly checks: readonly CheckedAgain[];
  /** `passes`: the ledger takes it; `refused`: it does not; `not run`: the file has no group, or no ledger. */
  readonly result: 'passes' | 'refused' | 'not run';
  /** The node's reason, if the payment was refused. */
  readonly reason?: string;
  /** For a signed group, which was submitted and not only simulated: its round, and the TxIDs of its members. */
  readonly confirmed?: { readonly round: number; readonly transactions: readonly string[] };
  readonly programs: readonly ProgramTrace[];
}

/** The largest size of an unpacked ledger. */
const MAX_STATE_BYTES = 500_000_000;

/**
 * Repeats the seller's checks, brings an embedded node to the ledger before the payment, verifies the payment there as
 * a facilitator does, and runs the group.
 * @throws X402Error `invalid_replay` for a group or a ledger that can't be read
 */
export async function runAgain(replay: Replay): Promise<ReplayResult> {
  const { checks, payment } = checkAsSeller(replay);
  const { group, ledger } = replay;
  if (group.length === 0 || ledger === undefined) return { checks, result: 'not run', programs: [] };
  const transactions = replayedGroup(group);
  const node = await nodeAt(ledger.state);
  try {
    const verified = payment === undefined ? [] : [await verifyAsFacilitator(node, payment)];
    const ran = { checks: [...checks, ...verified] };
    const { failure, programs } = await traced(node, transactions);
    if (failure !== undefined) return { ...ran, result: 'refused', reason: failure, programs };
    return { ...ran, programs, ...(await submitted(node, transactions)) };
  } finally {
    await node.stop();
  }
}

/** A node refuses to simulate a group that can't be in any block, for example because of a signature. */
async function traced(node: Devnode, transactions: readonly Uint8Array[]): Promise<GroupTrace> {
  try {
    return await traceGroup(node, { transactions });
  } catch (error) {
    if (!(error instanceof DevnodeError && error.code === 'refused')) throw error;
    return { failure: error.message, programs: [], applications: [] };
  }
}

function replayedGroup(group: Replay['group']): Uint8Array[] {
  try {
    return group.map((member) => replayedMember(Buffer.from(member, 'base64')));
  } catch (cause) {
    throw new X402Error('invalid_replay', { message: 'its group can’t be read', cause });
  }
}

async function nodeAt(packed: string): Promise<Devnode> {
  try {
    const state = await promisify(gunzip)(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_STATE_BYTES });
    return await startDevnode({ port: 0, state });
  } catch (cause) {
    if (cause instanceof DevnodeError && cause.code === 'port_taken') throw cause;
    throw new X402Error('invalid_replay', { message: 'its ledger can’t be read', cause });
  }
}

/** Submits a group that was recorded with its signatures; any other group passes in the simulation only. */
async function submitted(
  node: Devnode,
  transactions: readonly Uint8Array[],
): Promise<Omit<ReplayResult, 'checks' | 'programs'>> {
  if (!transactions.every(isSigned)) return { result: 'passes' };
  const algod = createAlgodClient({ url: node.url, token: node.token });
  try {
    await algod.sendRawTransaction(Buffer.concat(transactions));
    const confirmed = await algod.blockTransactionIds(node.latestRound);
    return { result: 'passes', confirmed: { round: Number(node.latestRound), transactions: confirmed } };
  } catch (error) {
    if (!isAlgorandError(error)) throw error;
    return { result: 'refused', reason: error.message };
  }
}

function isSigned(transaction: Uint8Array): boolean {
  const { signature, multisig, logicSignature } = decodeSignedTransaction(transaction);
  return (signature ?? multisig ?? logicSignature) !== undefined;
}
