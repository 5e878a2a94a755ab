import { type SupportedKind, sponsoredOffersOf, type SupportedResponse } from '@avm402/core/supported-response';
import type { Caller } from '../callers/callers.ts';

/** Whether payments to a receiver are sponsored on a network. */
export type IsSponsored = (network: string, payTo: string) => boolean;

/**
 * What `/supported` says to a caller. Whoever would be refused is promised no fee payer, and no scheme that needs one: its
 * buyers pay the fee themselves.
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

/** What a caller is told of its own receivers: others are nobody's business. */
function ofOwn({ receivers }: Caller, kind: SupportedKind): SupportedKind {
  const offers = sponsoredOffersOf(kind);
  if (offers === undefined || receivers === undefined) return kind;
  const sponsored = { ...offers, payTo: offers.payTo.filter((payTo) => receivers.includes(payTo)) };
  return { ...kind, extra: { ...kind.extra, sponsored } };
}

/** A key for any receiver may stand for one that is sponsored. */
function mayBeSponsored(caller: Caller, network: string, isSponsored: IsSponsored): boolean {
  return caller.receivers?.some((payTo) => isSponsored(network, payTo)) ?? true;
}
