import type { AlgodClient, SuggestedParams } from '@avm402/algorand/algod';
import { AlgorandError, isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';

/** One algod and its known state. */
export interface AlgodNode {
  readonly client: AlgodClient;
  /** The latest round it has shown. */
  readonly lastRound: bigint;
  /** Whether its genesis has been compared since it last failed. */
  readonly connected: boolean;
}

/** A refusal here is about the token, or no algod answered: nothing else in the request can be refused. */
export async function paramsOf(node: AlgodNode): Promise<SuggestedParams> {
  try {
    return await node.client.params();
  } catch (error) {
    if (!isAlgorandError(error, 'algod_refused')) throw error;
    if (error.status === 401 || error.status === 403) throw tokenRefused(node, error);
    throw new AlgorandError('algod_bad_answer', error.message, { cause: error });
  }
}

/**
 * Whether an error is about a node or the way to it, not about the request. Everything requested here exists, except a
 * block, so any other 404 comes from something in front of the node.
 */
export function isTrouble(error: unknown): boolean {
  if (isX402Error(error, 'algod_wrong_genesis') || isX402Error(error, 'algod_token_refused')) return true;
  if (!isAlgorandError(error)) return false;
  return error.code !== 'algod_refused' || error.status !== 400;
}

function tokenRefused(node: AlgodNode, cause: AlgorandError): X402Error {
  const message = `the algod at ${hostOf(node)} refuses the token in ALGOD_TOKEN (status ${cause.status})`;
  return new X402Error('algod_token_refused', { message, cause });
}

/** The error for an answer from an earlier round than another node has shown. */
export function behind(node: AlgodNode): X402Error {
  return new X402Error('algod_unreachable', { message: `only an algod that is behind answers (${hostOf(node)})` });
}

export function hostOf({ client }: AlgodNode): string {
  return new URL(client.url).host;
}
