import type { Exchange } from './exchange.ts';
import { digestOf, requestHead } from '../request/fingerprint.ts';
import type { Offer } from '../offers/offer.ts';
import { recordReads } from '../offers/recorded-reads.ts';

interface CurrentOffers {
  readonly offers: readonly Offer[];
  /** What a quote of these offers is bound to: route, host, URL, and everything that the functions have read. */
  readonly key?: string;
}

/** The offers for a request. If they depend on the request, they are remembered as quotes. */
export async function offersFor(exchange: Exchange): Promise<readonly Offer[]> {
  const { offers, key } = await currentOffers(exchange);
  if (key !== undefined) exchange.seller.quotes.remember(key, offers);
  return offers;
}

/** The offers that a payment may name: the current ones, and those quoted before for the same request. */
export async function honouredOffers(exchange: Exchange): Promise<readonly Offer[]> {
  const { offers, key } = await currentOffers(exchange);
  return key === undefined ? offers : [...offers, ...exchange.seller.quotes.honoured(key, offers)];
}

async function currentOffers({ offers, context, request }: Exchange): Promise<CurrentOffers> {
  if (!offers.isDynamic) return { offers: await offers.current(context) };
  const reads = recordReads(context);
  const current = await offers.current(reads.context);
  const digest = reads.digest();
  if (digest === undefined) return { offers: current };
  return { offers: current, key: digestOf([offers.id, ...requestHead(request), digest]) };
}
