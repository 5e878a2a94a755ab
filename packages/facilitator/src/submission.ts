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
  /** No node answered: it may have been taken, or not. */
  | { readonly answer: 'unknown' };

export type Submission = SubmissionAnswer & {
  /** Requests before the answering one whose fate is unknown. */
  readonly unanswered: number;
};

/** Hands a group to the nodes in turn until one answers. Sending it again is harmless: its TxID can be confirmed only once. */
export async function submit(pool: AlgodPool, group: Uint8Array): Promise<Submission> {
  let unanswered = 0;
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
      if (isAlgorandError(error, 'algod_refused') && error.status === 400) {
        return { ...refusal(error.reason ?? ''), unanswered };
      }
      unanswered += 1;
      pool.fail(node, error);
    }
  }
  return { answer: 'unknown', unanswered };
}

function refusal(text: string): SubmissionAnswer {
  return text.includes('already in ledger') ? { answer: 'already_there' } : { answer: 'refused', text };
}
