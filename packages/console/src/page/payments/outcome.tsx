import { isGood, type Standing, standingOf } from '../../payments/standing.ts';

const WORDS: Readonly<Record<Standing, string>> = {
  paid: 'paid',
  asked: 'asked to pay',
  refused: 'refused',
  failed: 'failed',
  open: 'not known yet',
};

/** How a payment stands, by word and colour; a code says why. */
export function Outcome({ outcome, status }: { readonly outcome: string; readonly status: number }) {
  const standing = standingOf(outcome, status);
  const says = new Set([WORDS[standing], 'settled', 'payment_required', '']);
  return (
    <>
      <span class={`tag ${standing}`}>{WORDS[standing]}</span>
      {!says.has(outcome) && <code class={isGood(outcome) ? '' : standing}>{outcome}</code>}
      {status > 0 && <span class="quiet">{status}</span>}
    </>
  );
}
