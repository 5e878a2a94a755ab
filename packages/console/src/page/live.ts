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
  /** Counts the chains: after a jump, or whenever one may have been missed, what could not change may have. */
  readonly chain: number;
  /** Counts the roles' reports of payments. */
  readonly paymentVersion: number;
}

let live: Live = { isConnected: false, chainVersion: 0, chain: 0, paymentVersion: 0 };
const listeners = new Set<() => void>();

/** Changes are told together at most so often: a view may take a while to be drawn. */
const TELL_MS = 200;
let isTold = true;

function change(changed: Partial<Live>): void {
  live = { ...live, ...changed };
  if (isTold) setTimeout(tell, TELL_MS);
  isTold = false;
}

function tell(): void {
  isTold = true;
  for (const listener of listeners) listener();
}

/**
 * Listens while the page is seen, because a browser has only six connections for all pages of the console; it reconnects
 * by itself when the connection is lost.
 */
export function goLive(): void {
  let source: EventSource | undefined;
  const follow = (): void => {
    if (document.hidden) {
      source?.close();
      source = undefined;
    } else source ??= listen();
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}

function listen(): EventSource {
  const source = new EventSource('/api/events');
  const on = (event: string, heard: (data: Record<string, unknown>) => void): void =>
    source.addEventListener(event, ({ data }) => heard(JSON.parse(String(data)) as Record<string, unknown>));
  const moved = (changed: Partial<Live>): void => change({ chainVersion: live.chainVersion + 1, ...changed });
  const anew = (changed: Partial<Live>): void => moved({ chain: live.chain + 1, ...changed });
  // Whatever happened while nobody listened was missed.
  source.addEventListener('open', () => anew({ isConnected: true, paymentVersion: live.paymentVersion + 1 }));
  source.addEventListener('error', () => change({ isConnected: false }));
  on('round', ({ round }) => moved({ round: Number(round), nodeAnswers: true }));
  on('jump', ({ round }) => anew({ round: Number(round), nodeAnswers: true }));
  on('payment', () => change({ paymentVersion: live.paymentVersion + 1 }));
  on('node', ({ answers }) => (answers === true ? anew : moved)({ nodeAnswers: answers === true }));
  return source;
}

/** The latest value of one member, updated as events arrive. */
export function useLive<Name extends keyof Live>(name: Name): Live[Name] {
  const [seen, setSeen] = useState(live[name]);
  useEffect(() => {
    const follow = (): void => setSeen(live[name]);
    listeners.add(follow);
    follow();
    return () => void listeners.delete(follow);
  }, [name]);
  return seen;
}
