import type { MandateAnswer } from '../../server/mandate-routes.ts';

const WIDTH = 600;
const ROW = 16;
const WINDOW_ROUNDS = 500;
/** More slots would not fit on a screen. */
const MOST_ROWS = 40;

/** Each slot as a row, and the rounds in which a payment has taken it as a bar; a line marks the present round. */
export function SlotTimeline({ status, payments }: Pick<MandateAnswer, 'status' | 'payments'>) {
  const rows = Math.min(Number(status.slots), MOST_ROWS);
  const last = Number(status.windowEnd) + WINDOW_ROUNDS;
  const first = Math.max(last - 3 * WINDOW_ROUNDS, 0);
  const place = (round: string | number): number => (Math.max(Number(round) - first, 0) / (last - first)) * WIDTH;
  const shown = payments.filter(({ slot }) => Number(slot) <= rows);
  return (
    <figure class="chart">
      <svg
        class="slots"
        viewBox={`0 0 ${WIDTH} ${rows * ROW}`}
        role="img"
        aria-label={`${status.freeSlots} of ${status.slots} slots are free in round ${status.round}`}
      >
        {shown.map(({ slot, round, until }) => (
          <rect
            x={place(round)}
            y={(Number(slot) - 1) * ROW + 2}
            width={Math.max(place(until) - place(round), 2)}
            height={ROW - 4}
          >
            <title>{`slot ${slot}: taken from round ${round} to ${until}`}</title>
          </rect>
        ))}
        <path class="axis" d={`M${place(status.round)} 0V${rows * ROW}`} />
        <path class="axis" d={`M${place(status.windowEnd)} 0V${rows * ROW}`} stroke-dasharray="4" />
      </svg>
      <figcaption class="row quiet">
        <span>a row for each slot{rows < Number(status.slots) && `, the first ${rows} of ${status.slots}`}</span>
        <span>
          rounds {first} to {last}: a line at the present one, dashes where its window ends
        </span>
      </figcaption>
    </figure>
  );
}
