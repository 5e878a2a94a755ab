import { type AlgorandError, isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error } from '@avm402/core/errors';

/** An error for a person: what was wrong and what to do. Never a stack. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

const CHECK_NODE = 'Check ALGOD_URL, and that the node runs.';
const NOT_ALGOD = 'Set ALGOD_URL to the URL of an algod, such as http://127.0.0.1:4001.';

export function explain(error: unknown): Explanation {
  if (isX402Error(error)) return { code: error.code, message: error.message, remedy: error.remedy };
  if (isAlgorandError(error)) return explainAlgorand(error);
  // The error of fetch only says "fetch failed"; its causes say why.
  return { code: 'request_failed', message: reason(error), remedy: 'Check the URL and the network.' };
}

function explainAlgorand(error: AlgorandError): Explanation {
  const { code, message, status } = error;
  if (isOfWebSite(error) || code === 'algod_bad_answer' || code === 'invalid_algod_options') {
    return { code, message: `ALGOD_URL is not an algod: ${message}`, remedy: NOT_ALGOD };
  }
  if (code === 'algod_unreachable' || code === 'algod_timeout') return { code, message, remedy: CHECK_NODE };
  if (status === 401 || status === 403) return { code, message, remedy: 'Check ALGOD_TOKEN.' };
  return { code, message };
}

/**
 * Whether a web site answered instead of algod: it does not know algod's routes, and says so with a page, or without
 * algod's words.
 */
function isOfWebSite({ code, status, reason: words }: AlgorandError): boolean {
  if (code !== 'algod_refused') return false;
  return words === undefined || words === '' ? status === 404 : words.startsWith('<');
}

/** An explanation as lines of text. */
export function explanationLines({ code, message, remedy }: Explanation): string[] {
  return [`${code}: ${message}`, ...(remedy === undefined ? [] : [remedy])];
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reason(error.cause);
  return error instanceof AggregateError ? error.errors.map(reason).join('; ') : error.message;
}
