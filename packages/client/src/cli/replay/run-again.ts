import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createAlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isShown } from '@avm402/algorand/shown-transaction';
import { decodeMember, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { X402Error } from '@avm402/core/errors';
import type { Replay } from '@avm402/core/replay';
import { type Devnode, DevnodeError, type ProgramTrace, startDevnode, traceGroup } from '@avm402/devnode';

/** How a payment ended when it was run again. */
export interface Ran {
  /** `passes`: the ledger takes it; `refused`: it does not; `not run`: the file has no group, or no ledger. */
  readonly result: 'passes' | 'refused' | 'not run';
  /** The node's words, of one that was refused. */
  readonly reason?: string;
  /** Of a signed group, which was submitted and not only simulated: its round, and the TxIDs of its members. */
  readonly confirmed?: { readonly round: number; readonly transactions: readonly string[] };
  readonly programs: readonly ProgramTrace[];
}

/** The most that a ledger may be once it is unpacked. */
const MAX_STATE_BYTES = 500_000_000;

/**
 * Takes an embedded node to the ledger before the payment, and runs the group there.
 * @throws X402Error `invalid_replay` for a ledger that can't be read
 */
export async function runAgain({ group, ledger }: Replay): Promise<Ran> {
  if (group.length === 0 || ledger === undefined) return { result: 'not run', programs: [] };
  const node = await nodeAt(ledger.state);
  try {
    const transactions = group.map((member) => asRun(Buffer.from(member, 'base64')));
    const { failure, programs } = await traceGroup(node, { transactions });
    if (failure !== undefined) return { result: 'refused', reason: failure, programs };
    return { programs, ...(await submitted(node, transactions)) };
  } finally {
    await node.stop();
  }
}

/** A signature that was left out is none: the simulation takes the transaction as signed. */
function asRun(member: Uint8Array): Uint8Array {
  const { signed } = decodeMember(member);
  const { txn, authAddress } = signed;
  return encodeSignedTransaction(isShown(signed) ? { txn, ...(authAddress !== undefined && { authAddress }) } : signed);
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

/** A group that was recorded with its signatures is submitted; any other one passes in the simulation only. */
async function submitted(node: Devnode, transactions: readonly Uint8Array[]): Promise<Omit<Ran, 'programs'>> {
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
  const { signature, multisig, logicSignature } = decodeMember(transaction).signed;
  return (signature ?? multisig ?? logicSignature) !== undefined;
}
