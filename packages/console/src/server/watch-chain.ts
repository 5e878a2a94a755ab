import { setTimeout } from 'node:timers/promises';
import { DevnodeError } from '@avm402/devnode';
import type { LedgerHistory } from '../payments/ledger-history.ts';
import type { EventHub } from './event-hub.ts';
import type { NodeAccess } from './node-access.ts';

/** Those who learn of new blocks: the pages, and the ledgers that are kept. */
export interface ChainListeners {
  readonly hub: Pick<EventHub, 'tell'>;
  readonly history: LedgerHistory;
}

/** Pause before a node that does not answer is asked again. */
const RETRY_MS = 1000;

/**
 * Sends the pages a `round` event for every round and a `jump` event for every jump of the chain, both with the latest
 * round. The embedded node reports both itself; with any other algod the console waits for one round after another.
 * Returns a function that stops the watch.
 */
export function watchChain(node: NodeAccess, listeners: ChainListeners): () => void {
  const stop = new AbortController();
  void watch(node, listeners, stop.signal);
  return () => stop.abort();
}

async function watch(node: NodeAccess, listeners: ChainListeners, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await listenToNode(node, listeners, signal);
    } catch (error) {
      const isAnotherAlgod = error instanceof DevnodeError && error.code !== 'unreachable';
      if (isAnotherAlgod) await waitForRounds(node, listeners.hub, signal).catch(() => undefined);
    }
    if (signal.aborted) return;
    listeners.hub.tell('node', JSON.stringify({ answers: false }));
    await setTimeout(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function listenToNode(node: NodeAccess, { hub, history }: ChainListeners, signal: AbortSignal): Promise<void> {
  let end = (): void => {};
  const isAnotherChain = (): void => {
    node.chain++;
    history.forget();
  };
  const ended = new Promise<void>((resolve) => (end = resolve));
  const stop = await node.controls.listen({
    onEvent: ({ kind, round }) => {
      if (kind === 'jump') isAnotherChain();
      history.changed();
      hub.tell(kind === 'block' ? 'round' : 'jump', JSON.stringify({ round: Number(round) }));
    },
    onEnd: end,
  });
  if (signal.aborted) return stop();
  const leave = (): void => {
    stop();
    end();
  };
  signal.addEventListener('abort', leave);
  // Jumps were missed while nobody listened, and the node that answers may be another one.
  isAnotherChain();
  void history.keep();
  hub.tell('node', JSON.stringify({ answers: true }));
  await ended;
  signal.removeEventListener('abort', leave);
}

async function waitForRounds(node: NodeAccess, hub: ChainListeners['hub'], signal: AbortSignal): Promise<void> {
  const { algod } = node;
  let { lastRound } = await algod.status({ signal });
  node.chain++;
  hub.tell('node', JSON.stringify({ answers: true }));
  while (!signal.aborted) {
    const status = await algod.waitForBlockAfter(lastRound, { signal });
    if (status.lastRound < lastRound) return; // The chain is another one.
    if (status.lastRound > lastRound) hub.tell('round', JSON.stringify({ round: Number(status.lastRound) }));
    // Something in front of the node may let nobody wait.
    else await setTimeout(RETRY_MS, undefined, { signal, ref: false });
    lastRound = status.lastRound;
  }
}
