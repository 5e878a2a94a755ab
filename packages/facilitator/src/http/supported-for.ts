import { type SupportedKind, sponsoredOffersOf, type SupportedResponse } from '@avm402/core/supported-response';
import type { Caller } from '../callers/callers.ts';

/** Whether payments to a receiver are sponsored on a network. */
export type IsSponsored = (network: string, payTo: string) => boolean;

/**
 * `/supported` as one caller sees it. A caller who would be refused sees no fee payer, and no scheme that needs one:
 * its buyers pay the fee themselves.
 */
export function supportedFor(
  caller: Caller | undefined,
  supported: SupportedResponse,
  isSponsored: IsSponsored,
): SupportedResponse {
  const kinds = supported.kinds.flatMap((kind) => {
    if (caller !== undefined && mayBeSponsored(caller, kind.network, isSponsored)) return [ofOwn(caller, kind)];
    const { feePayer: _feePayer, sponsored: _sponsored, ...extra } = kind.extra ?? {};
    return kind.scheme === 'exact' ? [{ ...kind, extra }] : [];
  });
  return { ...supported, kinds };
}

/** Restricts the list of sponsored receivers to the caller's own: others are not its business. */
function ofOwn({ receivers }: Caller, kind: SupportedKind): SupportedKind {
  const offers = sponsoredOffersOf(kind);
  if (offers === undefined || receivers === undefined) return kind;
  const sponsored = { ...offers, payTo: offers.payTo.filter((payTo) => receivers.includes(payTo)) };
  return { ...kind, extra: { ...kind.extra, sponsored } };
}

/** A caller with a key for any receiver may sell for one that is sponsored. */
function mayBeSponsored(caller: Caller, network: string, isSponsored: IsSponsored): boolean {
  return caller.receivers?.some((payTo) => isSponsored(network, payTo)) ?? true;
}
