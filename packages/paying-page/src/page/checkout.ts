import { createPayer, type Payer, reportOf, settlementOf, type SpendOptions } from '@avm402/client';
import { browserChannelStore } from '@avm402/client/browser-channel-store';
import { isX402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import { closeChannels } from './close-channels.ts';
import { contentOf } from './content.ts';
import { type Failure, failureOf, refusalOf, withoutContent } from './failure.ts';
import { depositOf, isByChannel, isInDollars, type Order, type PageOffer } from './order.ts';
import type { Step } from './progress.ts';
import type { WalletAccount } from './wallet.ts';

/** The result of paying. */
export type Outcome =
  | {
      readonly kind: 'paid';
      readonly content: readonly HTMLElement[];
      /** Absent if the payment was made through a channel. */
      readonly txId?: string;
      /** Atomic units that a channel was charged. */
      readonly charged?: string;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface CheckoutOptions {
  readonly order: Order;
  readonly account: WalletAccount;
  /** URL of the page that shows HTML. */
  readonly frame: string;
  /** Called at each step of the payment. */
  readonly onStep: (step: Step, isPending?: boolean) => void;
}

/** The `Accept` header that a browser sends when it opens a link. */
const NAVIGATION = 'text/html,application/xhtml+xml,image/avif,image/webp,*/*;q=0.8';
/** Milliseconds that the page waits for a payment whose outcome is not known. */
const RECOVER_MS = 60_000;

/**
 * Pays one offer with one account. When called again, it presents the same payment; a new payment replaces it only
 * after the network's algod has seen that it expired.
 */
export class Checkout {
  readonly #options: CheckoutOptions;
  readonly #payer: Payer;
  #isSent = false;

  constructor(options: CheckoutOptions) {
    const { order, account } = options;
    this.#options = options;
    this.#payer = createPayer({
      account: { ...account, signTransactions: (...asked) => this.#sign(...asked) },
      networks: { [order.offer.requirements.network]: order.network.algod },
      spend: spendOptions(order.offer),
      ...(isByChannel(order.offer) && { channels: { store: browserChannelStore() } }),
      recoverMs: RECOVER_MS,
      preempt: true,
      // The deposit is within the amount that the page shows, which is the limit of one payment.
      onOffer: ({ requirements }) => isSame(requirements, order.offer),
      onPayment: () => {
        this.#isSent = true;
        options.onStep('settle');
      },
      fetch: (input, init) => this.#fetch(input, init),
    });
  }

  /** Whether a payment was sent whose content may still come. */
  get isSent(): boolean {
    return this.#isSent;
  }

  async pay(): Promise<Outcome> {
    const { onStep, frame } = this.#options;
    let settlement: SettleResponse | undefined;
    onStep('ask');
    try {
      const response = await this.#payer.fetch(location.href, { headers: { Accept: NAVIGATION } });
      settlement = settlementOf(response);
      if (!response.ok) return { kind: 'failed', failure: this.#refused(response, settlement) };
      onStep('open');
      const content = await contentOf(response, frame);
      this.#isSent = false;
      const charged = settlement?.extra?.['chargedAmount'];
      return {
        kind: 'paid',
        content,
        ...(settlement?.transaction && { txId: settlement.transaction }),
        ...(typeof charged === 'string' && { charged }),
      };
    } catch (error) {
      if (isX402Error(error, 'request_failed')) this.#isSent = false;
      const failure = settlement?.success === true ? withoutContent(settlement) : failureOf(error, this.#isSent);
      return { kind: 'failed', failure };
    }
  }

  #refused(response: Response, settlement: SettleResponse | undefined): Failure {
    const report = reportOf(response);
    if (report?.outcome?.state === 'expired') this.#isSent = false;
    return refusalOf(response, settlement, report);
  }

  /** Asks the seller to close this account's channels, and waits until the rest is back. */
  async closeChannels(): Promise<void> {
    const { channels } = this.#payer;
    if (channels) await closeChannels(channels, location.origin);
  }

  async #sign(...[transactions, indexes]: Parameters<WalletAccount['signTransactions']>) {
    // A payment only replaces one that has expired.
    this.#isSent = false;
    this.#options.onStep('sign');
    return this.#options.account.signTransactions(transactions, indexes);
  }

  async #fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const response = await fetch(input, init);
    if (response.status === 503 && this.#isSent) this.#options.onStep('settle', true);
    return response;
  }
}

/** The spending limit: the price or deposit that the person has seen. */
function spendOptions(offer: PageOffer): SpendOptions {
  const { network, asset, amount } = offer.requirements;
  if (isByChannel(offer)) return { perPayment: depositOf(offer) };
  if (isInDollars(offer)) return { perPayment: offer.amount };
  return { assets: [{ network, asset, limits: { perPayment: BigInt(amount) } }] };
}

/** Whether an offer is the one that the page shows; sellers may change prices. */
function isSame(now: PageOffer['requirements'], { requirements: shown }: PageOffer): boolean {
  const keys = ['scheme', 'asset', 'amount', 'payTo'] as const;
  return keys.every((key) => now[key] === shown[key]) && networksEqual(now.network, shown.network);
}
