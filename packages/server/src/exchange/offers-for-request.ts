import { namesOffer } from '@avm402/core/accepted-offer';
import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { digestOf } from '../request/digest.ts';
import { requestHead } from '../request/fingerprint.ts';
import type { Offer } from '../offers/offer.ts';
import { recordReads } from '../offers/recorded-reads.ts';

interface CurrentOffers {
  readonly offers: readonly Offer[];
  /** The text that binds a quote of these offers: route, host, URL, and everything that the functions have read. */
  readonly key?: string;
}

/** The offers for a request. If they depend on the request, they are remembered as quotes. */
export async function offersFor(exchange: Exchange): Promise<readonly Offer[]> {
  const { offers, key } = await currentOffers(exchange);
  if (key !== undefined) exchange.seller.quotes.remember(key, offers);
  return offers;
}

/**
 * The offer that `accepted` names, in the payment's own spelling of network and fee payer: one of the current offers, or
 * one that was quoted before for the same request.
 * @throws X402Error `no_matching_offer`
 */
export async function matchedOffer(exchange: Exchange, { accepted }: PaymentPayload): Promise<PaymentRequirements> {
  const { offers, key } = await currentOffers(exchange);
  const honoured = key === undefined ? [] : exchange.seller.quotes.honoured(key, offers);
  const matching = [...offers, ...honoured].filter((offer) => namesOffer(accepted, offer));
  const offer = matching.find(({ requirements }) => requirements.network === accepted.network) ?? matching[0];
  if (offer === undefined) throw new X402Error('no_matching_offer');
  const { network, extra } = accepted;
  const { feePayer = offer.requirements.extra['feePayer'] } = extra;
  return {
    ...offer.requirements,
    network,
    extra: { ...offer.requirements.extra, ...(feePayer !== undefined && { feePayer }) },
  };
}

async function currentOffers({ offers, context, request }: Exchange): Promise<CurrentOffers> {
  if (!offers.isDynamic) return { offers: await offers.current(context) };
  const reads = recordReads(context);
  const current = await offers.current(reads.context);
  const digest = reads.digest();
  if (digest === undefined) return { offers: current };
  return { offers: current, key: digestOf([offers.id, ...requestHead(request), digest]) };
}
