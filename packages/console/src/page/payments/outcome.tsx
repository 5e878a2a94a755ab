/** Words for good outcomes. */
const GOOD = new Set(['settled', 'confirmed', 'valid', 'passed', 'paid', 'success', 'signed']);

/** The outcome, in the words of docs/telemetry.md or as a code, next to the status of the answer. */
export function Outcome({ outcome, status }: { readonly outcome: string; readonly status: number }) {
  const isBad = status >= 400 ? status !== 402 : /_/.test(outcome) && !GOOD.has(outcome);
  const mood = isBad ? 'bad' : GOOD.has(outcome) ? 'good' : '';
  return (
    <>
      {status > 0 && <span class={`tag ${status < 400 ? 'good' : ''}`}>{status}</span>}
      {outcome !== '' && <span class={`tag ${mood}`}>{outcome}</span>}
    </>
  );
}
