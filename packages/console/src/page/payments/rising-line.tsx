import type { ChannelPoint } from '../../payments/channels.ts';
import { AssetAmount } from '../parts/amount.tsx';

const WIDTH = 600;
const HEIGHT = 120;
/** Margin, so that the line's thickness is not cut off. */
const EDGE = 4;

interface RisingLineProps {
  readonly points: readonly ChannelPoint[];
  /** Id of the asset that is spent. */
  readonly asset: string;
}

/** The amount spent of a channel, as a line that rises with each voucher; its top is the latest amount. */
export function RisingLine({ points, asset }: RisingLineProps) {
  const spentInAll = points.at(-1)?.spent ?? '0';
  const most = Number(spentInAll) || 1;
  const step = (WIDTH - 2 * EDGE) / points.length;
  const heightOf = (spent: string): number => HEIGHT - EDGE - (Number(spent) / most) * (HEIGHT - 2 * EDGE);
  const line = points.map(
    ({ spent }, index) => `V${heightOf(spent).toFixed(1)}H${(EDGE + (index + 1) * step).toFixed(1)}`,
  );
  return (
    <figure class="chart quiet">
      <span class="most">
        <AssetAmount units={spentInAll} assetId={asset} />
      </span>
      <span class="least">0</span>
      <svg
        class="rising"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`What was spent after each of ${points.length} requests`}
      >
        <path class="axis" d={`M${EDGE} ${EDGE}V${HEIGHT - EDGE}H${WIDTH - EDGE}`} />
        <path d={`M${EDGE} ${HEIGHT - EDGE}${line.join('')}`} />
      </svg>
      <figcaption>
        <span>spent after each request</span>
        <span>{points.length}</span>
      </figcaption>
    </figure>
  );
}
