import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error } from '@avm402/core/errors';

/** An error for a person: what was wrong and what to do. Never a stack. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
}

const REMEDIES: Readonly<Record<string, string>> = {
  algod_unreachable: 'Check ALGOD_URL, and that the node runs.',
  algod_timeout: 'Check ALGOD_URL, and that the node runs.',
  algod_refused: 'Check ALGOD_TOKEN.',
};

export function explain(error: unknown): Explanation {
  if (isX402Error(error)) return { code: error.code, message: error.message, remedy: error.remedy };
  if (isAlgorandError(error)) {
    const remedy = REMEDIES[error.code];
    return { code: error.code, message: error.message, ...(remedy !== undefined && { remedy }) };
  }
  // What fetch rejects with says "fetch failed"; its causes say why.
  return { code: 'request_failed', message: reason(error), remedy: 'Check the URL and the network.' };
}

/** The same as lines of text. */
export function explanationLines({ code, message, remedy }: Explanation): string[] {
  return [`${code}: ${message}`, ...(remedy === undefined ? [] : [remedy])];
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reason(error.cause);
  return error instanceof AggregateError ? error.errors.map(reason).join('; ') : error.message;
}
