import { driveLoad, type LoadResult } from './load.ts';

/** Work for a client process: to pay for a resource again and again. */
export interface PaymentJob {
  readonly url: string;
  /** One for each worker: base64 of 64 bytes. */
  readonly privateKeys: readonly string[];
  readonly operations: number;
}

/** Does payment jobs with one paying fetch for each payer, kept from job to job as a program of its user would. */
export function paymentWork(
  payingFetchOf: (privateKey: string) => typeof fetch,
): (job: PaymentJob) => Promise<LoadResult> {
  const known = new Map<string, typeof fetch>();
  const fetchOf = (privateKey: string): typeof fetch => {
    const payingFetch = known.get(privateKey) ?? payingFetchOf(privateKey);
    known.set(privateKey, payingFetch);
    return payingFetch;
  };
  return ({ url, privateKeys, operations }) => {
    const fetches = privateKeys.map(fetchOf);
    return driveLoad({
      workers: fetches.length,
      operations,
      operate: async ({ worker }) => expectPaid(await (fetches[worker] ?? fetch)(url)),
    });
  };
}

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
