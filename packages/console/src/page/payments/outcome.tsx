import type { PaymentSummary } from '../../payments/payment-summary.ts';
import { isGood, type Standing } from '../../payments/standing.ts';

const WORDS: Readonly<Record<Standing, string>> = {
  paid: 'paid',
  closed: 'closed',
  // An offer that nobody may ever pay; the row becomes part of a payment if one follows.
  asked: 'quoted',
  refused: 'refused',
  failed: 'failed',
  open: 'not known yet',
};

/** How a payment stands, by word and colour; a code says why. */
export function Outcome({ payment: { standing, outcome = '', status = 0 } }: { readonly payment: PaymentSummary }) {
  const says = new Set([WORDS[standing], 'settled', 'payment_required', '']);
  return (
    <>
      <span class={`tag ${standing}`}>{WORDS[standing]}</span>
      {!says.has(outcome) && <code class={isGood(outcome) ? '' : standing}>{outcome}</code>}
      {status > 0 && <span class="quiet unbroken">{status}</span>}
    </>
  );
}
