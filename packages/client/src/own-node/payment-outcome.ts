import type { AlgodClient } from '@avm402/algorand/algod';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { atMost, type Turns } from './at-most.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { unlessAborted } from '../http/unless-aborted.ts';

/** What the buyer's own node knows of a payment. */
export type PaymentOutcome =
  | { readonly state: 'confirmed'; readonly round: bigint }
  /** It was not confirmed and never will be. */
  | { readonly state: 'expired' }
  /** Neither: it may still be confirmed, or the node can't tell. */
  | { readonly state: 'open' };

export type TrackedPayment = Pick<SentPayment, 'txId' | 'network' | 'firstValid' | 'lastValid'>;

const OPEN: PaymentOutcome = { state: 'open' };
/** Requests under way at one node, for all payments together: public nodes refuse more than about ten. */
const AT_ONCE = 8;
const turnsAt = new WeakMap<AlgodClient, Turns>();

function turnsOf(algod: AlgodClient): Turns {
  const turns = turnsAt.get(algod) ?? atMost(AT_ONCE);
  turnsAt.set(algod, turns);
  return turns;
}

/**
 * Asks the buyer's own node what became of a payment. It has expired only if a node of its network has every block of its
 * window, and none of them holds it. Whatever can't be read leaves it open.
 * @throws nothing but the signal's reason
 */
export async function paymentOutcome(
  payment: TrackedPayment,
  algod: AlgodClient,
  signal?: AbortSignal,
): Promise<PaymentOutcome> {
  try {
    return await unlessAborted(signal, () => ask(payment, algod, signal));
  } catch {
    signal?.throwIfAborted();
    return OPEN;
  }
}

async function ask(
  payment: TrackedPayment,
  algod: AlgodClient,
  signal: AbortSignal | undefined,
): Promise<PaymentOutcome> {
  const options = signal ? { signal } : {};
  const inTurn = turnsOf(algod);
  const { genesisHash, lastRound } = await inTurn(() => algod.params({ signal }));
  if (!networksEqual(networkOfGenesis(genesisHash), payment.network)) return OPEN;
  const pending = await inTurn(() => algod.pendingTransaction(payment.txId, options));
  if (pending?.confirmedRound) return { state: 'confirmed', round: pending.confirmedRound };
  if (lastRound < payment.lastValid) return OPEN;
  const round = await confirmingRound(payment, (at) => inTurn(() => algod.blockTransactionIds(at, options)));
  return round === undefined ? { state: 'expired' } : { state: 'confirmed', round };
}

/** The round of the window whose block holds the payment. Rejects if a block can't be read. */
async function confirmingRound(
  { txId, firstValid, lastValid }: TrackedPayment,
  idsOf: (round: bigint) => Promise<string[]>,
): Promise<bigint | undefined> {
  // The genesis block holds no transactions.
  for (let start = firstValid > 0n ? firstValid : 1n; start <= lastValid; start += BigInt(AT_ONCE)) {
    const rounds = Array.from({ length: AT_ONCE }, (_, index) => start + BigInt(index)).filter((at) => at <= lastValid);
    const blocks = await Promise.all(rounds.map(async (at) => ({ at, ids: await idsOf(at) })));
    const found = blocks.find(({ ids }) => ids.includes(txId));
    if (found) return found.at;
  }
  return undefined;
}

/**
 * The time of a block, ms since 1970; undefined if the block does not say.
 * @throws what algod throws, or the signal's reason
 */
export async function blockTime(algod: AlgodClient, round: bigint, signal?: AbortSignal): Promise<number | undefined> {
  const options = signal ? { signal } : {};
  const record = await unlessAborted(signal, () => turnsOf(algod)(() => algod.block(round, options)));
  const block = record.get('block');
  const seconds = block instanceof Map ? block.get('ts') : undefined;
  return typeof seconds === 'bigint' || typeof seconds === 'number' ? Number(seconds) * 1000 : undefined;
}
