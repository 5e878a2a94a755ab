import { useEffect, useState } from 'preact/hooks';

/** The state that the console's server reports by server-sent events. */
export interface Live {
  /** Whether the console's server is connected. */
  readonly isConnected: boolean;
  /** Whether the node answers; undefined until that is known. */
  readonly nodeAnswers?: boolean;
  /** The latest round that was reported. */
  readonly round?: number;
  /** Counts changes of the chain: a view that shows the chain requests it again when this changes. */
  readonly chainVersion: number;
  /** Counts the roles' reports of payments. */
  readonly paymentVersion: number;
}

let live: Live = { isConnected: false, chainVersion: 0, paymentVersion: 0 };
const listeners = new Set<(live: Live) => void>();

function change(changed: Partial<Live>): void {
  live = { ...live, ...changed };
  for (const listener of listeners) listener(live);
}

/** Begins to listen; the browser reconnects by itself when the connection is lost. */
export function goLive(): void {
  const source = new EventSource('/api/events');
  const on = (event: string, listen: (data: Record<string, unknown>) => void): void =>
    source.addEventListener(event, ({ data }) => listen(JSON.parse(String(data)) as Record<string, unknown>));
  const moved = ({ round }: Record<string, unknown>): void =>
    change({ round: Number(round), nodeAnswers: true, chainVersion: live.chainVersion + 1 });
  source.addEventListener('open', () => change({ isConnected: true, chainVersion: live.chainVersion + 1 }));
  source.addEventListener('error', () => change({ isConnected: false }));
  on('round', moved);
  on('jump', moved);
  on('payment', () => change({ paymentVersion: live.paymentVersion + 1 }));
  on('node', ({ answers }) => change({ nodeAnswers: answers === true, chainVersion: live.chainVersion + 1 }));
}

/** The latest state, updated as events arrive. */
export function useLive(): Live {
  const [seen, setSeen] = useState(live);
  useEffect(() => {
    listeners.add(setSeen);
    setSeen(live);
    return () => void listeners.delete(setSeen);
  }, []);
  return seen;
}
