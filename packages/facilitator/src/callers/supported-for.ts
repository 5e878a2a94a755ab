import type { SupportedResponse } from '@avm402/core/supported-response';
import type { Caller } from './callers.ts';

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
    if (mayBeSponsored(caller, kind.network, isSponsored)) return [kind];
    const { feePayer: _, ...extra } = kind.extra ?? {};
    return kind.scheme === 'exact' ? [{ ...kind, extra }] : [];
  });
  const { sponsored, ...rest } = supported;
  return { ...rest, kinds, ...(sponsored && { sponsored: offersOf(caller, sponsored) }) };
}

type Sponsored = NonNullable<SupportedResponse['sponsored']>;

/** What a caller is told of its own receivers: others are nobody's business. */
function offersOf(caller: Caller | undefined, sponsored: Sponsored): Sponsored {
  const isOwn = (payTo: string): boolean => caller !== undefined && (caller.receivers?.includes(payTo) ?? true);
  return Object.fromEntries(
    Object.entries(sponsored).map(([network, offers]) => [network, { ...offers, payTo: offers.payTo.filter(isOwn) }]),
  );
}

/** A key for any receiver may stand for one that is sponsored. */
function mayBeSponsored(caller: Caller | undefined, network: string, isSponsored: IsSponsored): boolean {
  if (caller === undefined) return false;
  return caller.receivers?.some((payTo) => isSponsored(network, payTo)) ?? true;
}
