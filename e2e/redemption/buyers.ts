import { randomBytes } from 'node:crypto';
import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { sha256 } from '@avm402/algorand/hash';
import { createPayingFetch } from '@avm402/client';
import { PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { createPaymentId, withPaymentId } from '@avm402/core/payment-identifier';
import type { Devnode } from '@avm402/devnode';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';

/** One order of one buyer, and what came of it. */
export interface Order {
  readonly number: number;
  readonly whose: 'ours' | 'stock';
  /** The payment header that was sent, if it came to that. */
  readonly header?: string;
  /** The run of the handler that the buyer was served. */
  readonly run?: string;
}

const USDC = 10_458_941n;

/** Buyers with money: even orders are made by our client, odd ones by the stock client. */
export async function createBuyers(node: Devnode, count: number): Promise<readonly Buyer[]> {
  const buyers = Array.from({ length: count }, (_, number) => new Buyer(node, number));
  for (const buyer of buyers) await buyer.earn();
  return buyers;
}

/** A buyer who makes one order at a time. */
export class Buyer {
  readonly #node: Devnode;
  readonly #seed: Uint8Array;
  readonly #account: Account;

  constructor(node: Devnode, number: number) {
    this.#node = node;
    this.#seed = sha256(new TextEncoder().encode(`buyer ${number} of a shop with faults`));
    this.#account = accountFromSeed(this.#seed);
  }

  async earn(): Promise<void> {
    await this.#node.fund(this.#account.address, 10_000_000n);
    await this.#node.deal(this.#account.address, USDC, 100_000_000n);
  }

  /** Orders, whatever goes wrong on the way. */
  async order(number: number, url: string): Promise<Order> {
    const whose = number % 2 === 0 ? 'ours' : 'stock';
    let header: string | undefined;
    const seen: typeof fetch = (input, init) => {
      const sent = new Request(input, init);
      header = sent.headers.get(PAYMENT_SIGNATURE_HEADER) ?? header;
      return fetch(sent, { signal: AbortSignal.timeout(15_000) });
    };
    const run = await served(() => (whose === 'ours' ? this.#ours(seen) : this.#stock(seen))(url));
    return { number, whose, ...(header !== undefined && { header }), ...(run !== undefined && { run }) };
  }

  #ours(through: typeof fetch): typeof fetch {
    const { url, token } = this.#node;
    return createPayingFetch({
      account: this.#account,
      networks: { 'algorand:*': { url, token } },
      fetch: through,
      recoverMs: 4_000,
    });
  }

  /** The stock client has no payment ids of its own: the extension's documentation adds them in this hook. */
  #stock(through: typeof fetch): typeof fetch {
    const { url, token } = this.#node;
    const key = Buffer.concat([this.#seed, this.#account.publicKey]).toString('base64');
    const scheme = new ExactAvmScheme(toClientAvmSigner(key), { algodUrl: url, algodToken: token });
    const client = new x402Client().register('algorand:*', scheme);
    client.onAfterPaymentCreation(async ({ paymentPayload }) => {
      const id = createPaymentId((bytes) => randomBytes(bytes));
      paymentPayload.extensions = withPaymentId(paymentPayload.extensions, id);
    });
    return wrapFetchWithPayment(through, client);
  }
}

/** The run that an answer names; undefined for anything but a whole 200. */
export async function served(request: () => Promise<Response>): Promise<string | undefined> {
  try {
    const response = await request();
    const body: unknown = response.status === 200 ? await response.json() : undefined;
    return typeof body === 'object' && body !== null && 'run' in body ? String(body.run) : undefined;
  } catch {
    return undefined;
  }
}
