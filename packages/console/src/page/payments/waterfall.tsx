import { Table } from '../parts/table.tsx';
import type { RecordedSpan } from '../../payments/recorded-span.ts';
import { Milliseconds } from '../parts/amount.tsx';
import { roleOf, wordsOf } from './step.ts';

/** Each span as a bar over the time of the whole payment, below its parent. */
export function Waterfall({ spans }: { readonly spans: readonly RecordedSpan[] }) {
  const from = Math.min(...spans.map((span) => span.from));
  const total = Math.max(...spans.map((span) => span.to)) - from || 1;
  const percent = (ms: number): string => `${((100 * ms) / total).toFixed(2)}%`;
  const when = (
    <span class="when">
      When, of <Milliseconds ms={total} />
    </span>
  );
  return (
    <>
      <Legend spans={spans} />
      <Table label="Steps" columns={['Step', 'Who', <span class="number">Took</span>, when]}>
        {inOrder(spans).map(({ span, depth }) => (
          <tr key={span.id}>
            <td style={{ paddingLeft: `${depth}rem` }} title={span.name}>
              {wordsOf(span.name)}
              {span.hasFailed && <code class="bad"> {String(span.facts['error.type'] ?? 'failed')}</code>}
            </td>
            <td>
              <span class={`role ${roleOf(span.name)}`}>{roleOf(span.name)}</span>
            </td>
            <td class="number">
              <Milliseconds ms={span.to - span.from} />
            </td>
            <td class="track">
              <div
                class="bar"
                style={{
                  background: `var(--${roleOf(span.name)})`,
                  marginLeft: percent(span.from - from),
                  width: percent(span.to - span.from),
                }}
              />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Legend({ spans }: { readonly spans: readonly RecordedSpan[] }) {
  const roles = ['buyer', 'seller', 'facilitator'].filter((role) => spans.some(({ name }) => roleOf(name) === role));
  return (
    <p class="legend">
      {roles.map((role) => (
        <span key={role}>
          <span class="swatch" style={{ background: `var(--${role})` }} aria-hidden="true" /> {role}
        </span>
      ))}
    </p>
  );
}

interface Placed {
  readonly span: RecordedSpan;
  readonly depth: number;
}

/** Each span after its parent. A span whose parent nobody has reported stands at the edge. */
function inOrder(spans: readonly RecordedSpan[]): Placed[] {
  const ids = new Set(spans.map(({ id }) => id));
  const below = (parentId: string | undefined, depth: number): Placed[] =>
    spans
      .filter((span) => (ids.has(span.parentId ?? '') ? span.parentId : undefined) === parentId)
      .flatMap((span) => [{ span, depth }, ...(depth < MAX_DEPTH ? below(span.id, depth + 1) : [])]);
  return below(undefined, 0);
}

/** A payment's trace never nests deeper than this. */
const MAX_DEPTH = 12;
