import type { SchemeNetworkClient } from '@x402/core/types';
import type { ClientJob } from '../client.ts';
import { driveLoad } from '../load.ts';
import { requirements } from '../payments.ts';

/** How a make pays: by its fetch, and by its scheme alone. Each is made once for each payer. */
export interface Buyer {
  readonly fetchOf: (privateKey: string) => typeof fetch;
  readonly schemeOf: (privateKey: string) => SchemeNetworkClient;
}

/** Does the jobs of the process that forked this one, one after another. */
export function serveJobs({ fetchOf, schemeOf }: Buyer): void {
  const fetches = new Map<string, typeof fetch>();
  const schemes = new Map<string, SchemeNetworkClient>();
  const pay = async (url: string, privateKey: string): Promise<void> => {
    await expectPaid(await memoized(fetches, privateKey, fetchOf)(url));
  };
  const create = async (privateKey: string): Promise<void> => {
    const { payload } = await memoized(schemes, privateKey, schemeOf).createPaymentPayload(2, requirements);
    if (Object(payload['paymentGroup']).length !== 2) throw new Error('not the payment asked for');
  };
  process.on('message', ({ url, privateKeys, operations }: ClientJob) => {
    const operate = (_: number, worker: number): Promise<void> =>
      url === undefined ? create(privateKeys[worker] ?? '') : pay(url, privateKeys[worker] ?? '');
    driveLoad({ workers: privateKeys.length, operations, operate }).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.(String(error)),
    );
  });
  process.once('disconnect', () => process.exit(0)).once('SIGTERM', () => process.exit(0));
  process.send?.('ready');
}

function memoized<T>(known: Map<string, T>, key: string, make: (key: string) => T): T {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}

/** Reads the whole answer and fails unless it was paid and settled. */
async function expectPaid(response: Response): Promise<void> {
  const body = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
  if (!response.headers.has('PAYMENT-RESPONSE')) throw new Error('no receipt');
  if (!body.includes('sunny')) throw new Error('not the report');
}
