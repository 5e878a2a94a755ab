import { isAlgorandError } from '@avm402/algorand/errors';
import { type AlgodPool, isTrouble } from './algod-pool.ts';

/** What became of handing a group to the nodes. */
type SubmissionAnswer =
  /** A node took it into its pool. */
  | { readonly answer: 'accepted' }
  /** A node has it already, in its ledger or pool. */
  | { readonly answer: 'already_there' }
  /** A node refused it, with algod's text. */
  | { readonly answer: 'refused'; readonly text: string }
  /** No node decided: it may have been taken, or not. With algod's text if one could not take it now. */
  | { readonly answer: 'unknown'; readonly text?: string };

export type Submission = SubmissionAnswer & {
  /** Requests before the answering one that may have put the group into a pool, without saying so. */
  readonly unanswered: number;
};

/**
 * algod's words when it takes no such transaction now: its pool is full, not ready or being closed, or it is a follower,
 * or so much waits that it asks for a higher fee in each transaction (a sponsored payment's own is 0).
 */
const TAKES_NONE =
  /checkPendingQueueSize|no pending block evaluator|pool is shutting down|in follower mode|fee \d+ below threshold/;

/** algod's words, with status 400, when it has put the group into its pool and cannot pass it on to its network. */
const TAKEN_ALL_THE_SAME = /^broadcast queue full/;

/** Hands a group to the nodes in turn until one decides. Sending it again is harmless: its TxID can be confirmed only once. */
export async function submit(pool: AlgodPool, group: Uint8Array): Promise<Submission> {
  let unanswered = 0;
  let undecided: { readonly text?: string } = {};
  for (const node of pool.candidates()) {
    try {
      await pool.ensureConnected(node);
    } catch (error) {
      if (!isTrouble(error)) throw error;
      pool.fail(node, error);
      continue;
    }
    try {
      await node.client.sendRawTransaction(group);
      return { answer: 'accepted', unanswered };
    } catch (error) {
      const text = refusalText(error);
      if (text === undefined) {
        unanswered += 1;
        pool.fail(node, error);
      } else if (TAKEN_ALL_THE_SAME.test(text)) {
        unanswered += 1;
      } else if (isAboutNode(text, pool)) {
        undecided = { text };
      } else {
        return { ...refusal(text), unanswered };
      }
    }
  }
  return { answer: 'unknown', unanswered, ...undecided };
}

/** What algod said, if it refused. */
function refusalText(error: unknown): string | undefined {
  const isRefusal = isAlgorandError(error, 'algod_refused') && error.status === 400;
  return isRefusal ? (error.reason ?? '') : undefined;
}

/** Whether a refusal speaks about the node, not about the payment: another one may take it, or this one later. */
function isAboutNode(text: string, pool: AlgodPool): boolean {
  return TAKES_NONE.test(text) || pool.isTooEarlyForOne(text);
}

function refusal(text: string): SubmissionAnswer {
  return text.includes('already in ledger') ? { answer: 'already_there' } : { answer: 'refused', text };
}
