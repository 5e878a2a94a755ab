/** Something that happened to a payment. Contains no secrets. */
export interface PaymentEvent {
  readonly type:
    /** A request got a 402 with offers; `code` says why. */
    | 'offered'
    /** A payment was claimed, and its handler starts. */
    | 'claimed'
    /** The payment was settled. */
    | 'settled'
    /** A stored response was sent again. */
    | 'replayed'
    /** The payment was released: nothing was charged. */
    | 'released'
    /** A channel was closed: what it owed is paid; `txId` is the claim's. */
    | 'closed'
    /** The outcome of settlement is not known yet. */
    | 'pending'
    /** The server or the facilitator failed; `error` says how. */
    | 'failed';
  /** The route's key; `channels` for what no request asked for. */
  readonly route: string;
  /** What the payment is known by: its TxID; `channel/amount` of a voucher. */
  readonly txId?: string;
  /** `X-Request-Id` of the request; absent for what no request asked for. */
  readonly requestId?: string;
  readonly channelId?: string;
  readonly payer?: string;
  readonly code?: string;
  readonly error?: unknown;
}

/** Tells a listener of events. One that throws must not come between a payment and its response. */
export function reporting(listener: (event: PaymentEvent) => void = reportTrouble): (event: PaymentEvent) => void {
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      reportTrouble({ ...event, type: 'failed', error });
    }
  };
}

/** The default listener: prints failures and unknown outcomes to stderr, one line each. */
function reportTrouble({ type, route, txId, code, error }: PaymentEvent): void {
  if (type !== 'failed' && type !== 'pending') return;
  const message = error instanceof Error ? error.message : (code ?? type);
  console.error(`x402: ${route}${txId === undefined ? '' : ` ${txId}`}: ${message}`);
}
