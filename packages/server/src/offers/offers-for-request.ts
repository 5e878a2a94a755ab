import type { Exchange } from '../exchange.ts';
import { fingerprint } from '../redemption/fingerprint.ts';
import type { Offer } from './offer.ts';

/** The offers that a request is answered with. Where they depend on the request they are remembered as quotes. */
export async function offersFor({ offers, context, seller, request }: Exchange): Promise<readonly Offer[]> {
  const current = await offers.current(context);
  if (!offers.isDynamic) return current;
  const asked = await fingerprint(request);
  if (asked !== undefined) seller.quotes.remember(asked, current);
  return current;
}

/** The offers that a payment may name: the current ones, and those that were quoted for the same request. */
export async function honouredOffers({ offers, context, seller, request }: Exchange): Promise<readonly Offer[]> {
  const current = await offers.current(context);
  if (!offers.isDynamic) return current;
  const asked = await fingerprint(request);
  return asked === undefined ? current : [...current, ...seller.quotes.honoured(asked)];
}
