import type { LoadResult } from './load.ts';

/** Work for a client process: to pay for a resource again and again. */
export interface PaymentJob {
  readonly url: string;
  /** One for each worker: base64 of 64 bytes. */
  readonly privateKeys: readonly string[];
  readonly operations: number;
}

/** Does a payment job with one paying fetch for each worker. */
export type PaymentWork = (job: PaymentJob) => Promise<LoadResult>;

/** Reads the whole answer and fails unless it was paid and settled. */
export async function expectPaid(response: Response): Promise<void> {
  const body = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}${reasonOf(response)}`);
  if (!response.headers.has('PAYMENT-RESPONSE')) throw new Error('no receipt');
  if (!body.includes('sunny')) throw new Error('not the report');
}

/** What the offer of a 402 says about the payment that it refuses. */
function reasonOf(response: Response): string {
  const offer = response.headers.get('PAYMENT-REQUIRED');
  if (offer === null) return '';
  const text = Buffer.from(offer, 'base64').toString('utf8');
  return ` ${/"error":"([^"]*)"/.exec(text)?.[1] ?? ''}`;
}
