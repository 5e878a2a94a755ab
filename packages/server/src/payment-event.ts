/** What happened to one payment. */
type PaymentStep =
  /** It was claimed, and its handler starts. */
  | 'claimed'
  /** It was settled. */
  | 'settled'
  /** A stored response was sent again. */
  | 'replayed'
  /** It was released: nothing was charged. */
  | 'released'
  /** A node has taken it, and its answer leaves before its block. */
  | 'accepted'
  /** Its answer left before its block, and it never got into one. */
  | 'lost'
  /** A channel was closed: what it owed is paid; `txId` is the claim's. */
  | 'closed'
  /** The outcome of settlement is not known yet. */
  | 'pending';

/** What happened, with the fields that every such event has. */
type EventType =
  /** A request got a 402 with offers; `code` says why. */
  | { readonly type: 'offered'; readonly code: string }
  | { readonly type: PaymentStep; readonly txId: string; readonly payer: string }
  /** The server or the facilitator failed; `error` or `code` says how. */
  | { readonly type: 'failed' };

/** A likely mistake in how the seller's app is set up; `error` describes it. Reported once. */
interface Warning {
  readonly type: 'warned';
  readonly code: string;
}

interface EventDetails {
  /** Identifies the payment: its TxID, or `channel/amount` for a voucher. */
  readonly txId?: string;
  readonly channelId?: string;
  readonly payer?: string;
  readonly code?: string;
  readonly error?: unknown;
}

/** The parts of an event that don't depend on where it happened. */
export type EventFacts = EventType & EventDetails;

/**
 * Something that happened to a payment. Contains no secrets.
 *
 * @example
 * ```ts
 * import type { PaymentEvent } from '@avm402/server';
 *
 * function onEvent(event: PaymentEvent): void {
 *   if (event.type === 'settled') console.log(event.route, event.txId, event.payer);
 * }
 * ```
 */
export type PaymentEvent = (EventType | Warning) &
  EventDetails & {
    /** The route's key, or `channels` or `at risk` for an event that no request caused. */
    readonly route: string;
    /** `X-Request-Id` of the request; absent for an event that no request caused. */
    readonly requestId?: string;
  };

/** Wraps an event listener: an error that it throws must not come between a payment and its response. */
export function reporting(listener: (event: PaymentEvent) => void = reportTrouble): (event: PaymentEvent) => void {
  return (event) => {
    const failed = (error: unknown): void => reportTrouble({ ...event, type: 'failed', error });
    try {
      const told: unknown = listener(event);
      // An asynchronous listener fails later. A rejection that nobody awaits would end the process.
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

const TROUBLE: ReadonlySet<string> = new Set(['failed', 'warned', 'pending', 'lost']);

/** The default listener: prints failures, losses, warnings and unknown outcomes to stderr, one line each. */
function reportTrouble({ type, route, txId, code, error }: PaymentEvent): void {
  if (!TROUBLE.has(type)) return;
  const message = error instanceof Error ? error.message : (code ?? type);
  console.error(`x402: ${route}${txId === undefined ? '' : ` ${txId}`}: ${message}`);
}
