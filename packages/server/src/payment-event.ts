/** Something that happened to a payment or on its account. Holds no secret. */
export interface PaymentEvent {
  readonly type:
    /** A 402 with offers was answered; `code` says why. */
    | 'offered'
    /** A payment was claimed and its handler starts. */
    | 'claimed'
    /** It was settled. */
    | 'settled'
    /** A kept response was handed out again. */
    | 'replayed'
    /** It was given back: nothing was charged. */
    | 'released'
    /** Nobody knows yet what became of its settlement. */
    | 'pending'
    /** Trouble of our own or the facilitator's; `error` says what. */
    | 'failed';
  /** The route's key. */
  readonly route: string;
  readonly txId?: string;
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

/** Where events go when the app does not ask for them: trouble to stderr, in one line. */
function reportTrouble({ type, route, txId, code, error }: PaymentEvent): void {
  if (type !== 'failed' && type !== 'pending') return;
  const message = error instanceof Error ? error.message : (code ?? type);
  console.error(`x402: ${route}${txId === undefined ? '' : ` ${txId}`}: ${message}`);
}
