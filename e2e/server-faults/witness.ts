import { decodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { txIdOf } from '../payment.ts';
import type { Delivery, HandlerRun, Proof } from './evidence.ts';

/** Sees everything that clients send and get. */
export interface Witness {
  /** The platform's fetch, watched. */
  readonly fetch: typeof fetch;
  readonly proofs: readonly Proof[];
  readonly deliveries: readonly Delivery[];
  /** Resolves when everything that arrived so far has been noted. */
  settled(): Promise<void>;
}

export function createWitness(): Witness {
  /** The proofs by their headers. */
  const proofs = new Map<string, Proof>();
  const deliveries: Delivery[] = [];
  const reading = new Set<Promise<void>>();

  const note = async (asked: number, txId: string | undefined, response: Response): Promise<void> => {
    const { order, run } = (await response.json()) as HandlerRun;
    deliveries.push({ asked, order, run, ...(txId !== undefined && { txId }) });
  };
  const watched: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const asked = orderOf(request.url);
    const header = request.headers.get(PAYMENT_SIGNATURE_HEADER) ?? undefined;
    const txId = header && txIdOf(decodePaymentSignatureHeader(header));
    if (header && txId) proofs.set(header, { txId, order: asked, header });
    const response = await fetch(request);
    if (response.status === 200) {
      // A body that breaks off is no delivery.
      const noted = note(asked, txId, response.clone()).catch(() => {});
      reading.add(noted);
      void noted.finally(() => reading.delete(noted));
    }
    return response;
  };
  return {
    fetch: watched,
    get proofs() {
      return [...proofs.values()];
    },
    deliveries,
    settled: async () => void (await Promise.all(reading)),
  };
}

/** The article's number in its URL. */
function orderOf(url: string): number {
  return Number(new URL(url).pathname.split('/').at(-1));
}
