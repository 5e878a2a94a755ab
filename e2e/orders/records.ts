import { setTimeout as sleep } from 'node:timers/promises';
import type { PaidOrder, SettlementRecord } from './oracle.ts';
import { ProgressDeadline } from './progress-deadline.ts';

const PAUSE_MS = 500;
const AT_ONCE = 30;

/** The orders with what the replicas' look-up says of them, once that is final, or as it is when no more of them become final. */
export async function finalRecords(urls: readonly string[], orders: readonly PaidOrder[]): Promise<PaidOrder[]> {
  const deadline = new ProgressDeadline();
  const records = new Map<string, SettlementRecord>();
  let open = orders.map(({ txId }) => txId);
  for (;;) {
    await inGroups(open, async (txId, index) => {
      const record = await lookUp(urls[index % urls.length] ?? '', txId);
      if (record !== undefined) records.set(txId, record);
    });
    const stillOpen = open.filter((txId) => records.get(txId)?.final === false);
    if (stillOpen.length < open.length) deadline.extend();
    open = stillOpen;
    if (open.length === 0 || deadline.hasPassed) break;
    await sleep(PAUSE_MS);
  }
  return orders.map((order) => {
    const record = records.get(order.txId);
    return record === undefined ? order : { ...order, record };
  });
}

async function inGroups<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    await Promise.all(items.slice(first, first + AT_ONCE).map((item, index) => work(item, first + index)));
  }
}

async function lookUp(url: string, txId: string): Promise<SettlementRecord | undefined> {
  const response = await fetch(`${url}/settlements/${txId}`);
  const body: unknown = await response.json();
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`the look-up of ${txId} answered ${response.status}`);
  return body as SettlementRecord;
}
