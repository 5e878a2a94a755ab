import type { Trace } from '@avm402/core/trace';
import type { HTTPRequestContext } from '@x402/core/server';
import type { PaymentPayload } from '@x402/core/types';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import type { FirstAnswer } from '../facilitator/first-answer.ts';
import type { SchemeOffers } from '../offers/route-option.ts';
import type { Quotes } from '../offers/quotes.ts';
import type { RouteOffers } from '../offers/route-offers.ts';
import type { CompleteOptions } from '../options.ts';
import type { PaymentEvent, EventFacts } from '../payment-event.ts';
import type { Claims } from '../redemption/claims.ts';
import type { PayersInFlight } from './payers-in-flight.ts';
import type { FairQueue } from '../facilitator/fair-queue.ts';
import type { Verdicts } from '../facilitator/verdicts.ts';
import type { RequestFacts } from '../request/request-facts.ts';
import type { HeldBytes } from '../response/held-bytes.ts';
import type { Risks } from '../risk/risks.ts';
import type { Responder } from '../response/responder.ts';
import type { SchemeName } from '../routes/seller-price.ts';

/** A scheme of payment: how it is offered, and how a request that it pays for is served. */
export interface ServedScheme {
  readonly scheme: SchemeName;
  readonly offers: SchemeOffers;
  /** Loads the code that serves its payments: a seller starts without it, and few sellers use every scheme. */
  readonly load: () => Promise<ServePaid>;
}

/** Serves a request with its payment. An error that it throws is answered as one from before the handler. */
export type ServePaid = (exchange: Exchange, payload: PaymentPayload) => Promise<void>;

/** What all handlers of a seller share. */
export interface SellerContext {
  readonly options: CompleteOptions;
  readonly pool: FacilitatorPool;
  readonly firstAnswer: FirstAnswer;
  readonly claims: Claims;
  /** What `accepted` routes put at risk; absent if the seller carries none. */
  readonly risks?: Risks;
  /** By name. */
  readonly schemes: ReadonlyMap<string, ServedScheme>;
  /** Limits what is asked of facilitators before anything is known to be paid. */
  readonly queue: FairQueue;
  readonly verdicts: Verdicts;
  readonly payers: PayersInFlight;
  readonly quotes: Quotes;
  readonly heldBytes: HeldBytes;
  /**
   * Request bodies that were read before their handler runs. Counted apart, because strangers must not use up the room
   * for answers.
   */
  readonly bodies: HeldBytes;
  readonly report: (event: PaymentEvent) => void;
}

/** One request to a priced route, and what is needed to answer it. */
export interface Exchange {
  readonly seller: SellerContext;
  readonly offers: RouteOffers;
  readonly request: RequestFacts;
  readonly responder: Responder;
  /** The URL that the offer names as the resource. */
  readonly url: string;
  readonly context: HTTPRequestContext;
  /** `X-Request-Id`: taken from the request, or made for it. */
  readonly requestId: string;
  /** Where the spans of this request belong. */
  readonly trace: Trace;
  report(news: EventFacts): void;
}
