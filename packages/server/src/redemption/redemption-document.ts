import type { Redemption, StoredResponse } from './redemption.ts';

/** A redemption as a row of a database holds it: a document, and beside it the body of its response. */
export interface RedemptionDocument {
  readonly document: string;
  readonly body: Uint8Array | null;
}

export function encodeRedemption({ response, ...rest }: Redemption): RedemptionDocument {
  if (response === undefined) return { document: JSON.stringify(rest), body: null };
  const { body, ...head } = response;
  return { document: JSON.stringify({ ...rest, response: head }), body };
}

/** What was put. A response whose body was dropped meanwhile is gone. */
export function redemptionOf({ document, body }: RedemptionDocument): Redemption {
  const { response, ...rest } = JSON.parse(document) as Redemption & { response?: Omit<StoredResponse, 'body'> };
  return response !== undefined && body !== null ? { ...rest, response: { ...response, body } } : rest;
}
