import type { RecordedSpan } from '../../payments/recorded-span.ts';
import { eventsOf } from '../../payments/reported-message.ts';

/** The checks in the order in which they were made; nothing if no role reports its checks. */
export function Checks({ spans }: { readonly spans: readonly RecordedSpan[] }) {
  const checks = eventsOf(spans, 'x402.check');
  if (checks.length === 0) return null;
  return (
    <>
      <h2>Checks</h2>
      <ol class="checks">
        {checks.map(({ facts }) => (
          <li>
            {String(facts['x402.check'])}{' '}
            <span class={`tag ${facts['x402.outcome'] === 'passed' ? 'paid' : 'refused'}`}>
              {String(facts['x402.outcome'])}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
