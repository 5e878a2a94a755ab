import type { AlgodClient } from '@avm402/algorand/algod';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { type Charge, leasedTransfer } from './leased-transfer.ts';
import { fieldOf, integerOf, roundsBetween } from './block-record.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { unlessAborted } from '../http/unless-aborted.ts';

/** The outcome of a payment, as the buyer's own node knows it. */
export type PaymentOutcome =
  | { readonly state: 'confirmed'; readonly round: bigint; readonly charge?: Charge }
  /** It was not confirmed and never will be. */
  | { readonly state: 'expired' }
  /** Neither: it may still be confirmed, or the node can't tell. */
  | { readonly state: 'open' };

export type TrackedPayment = Pick<SentPayment, 'txId' | 'network' | 'firstValid' | 'lastValid'> &
  Partial<Pick<SentPayment, 'lease' | 'slotLease' | 'payer'>>;

const OPEN: PaymentOutcome = { state: 'open' };
/** The most requests under way at one node, for all payments together: public nodes refuse more than about ten. */
const AT_ONCE = 8;

/** Runs work when it is its turn. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>;

const turnsAt = new WeakMap<AlgodClient, Turns>();

function turnsOf(algod: AlgodClient): Turns {
  const turns = turnsAt.get(algod) ?? atMost(AT_ONCE);
  turnsAt.set(algod, turns);
  return turns;
}

/** Runs at most so many pieces of work at a time; the others wait in order. */
function atMost(count: number): Turns {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

/**
 * Asks the buyer's own node what became of a payment. It has expired only if a node of its network has every block of
 * its window, and none of them holds it. Anything that can't be read leaves it open.
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
  const { lease, payer } = payment;
  if (lease !== undefined && payer !== undefined) {
    const chargeIn = (at: bigint) => inTurn(() => leasedTransfer({ lease, payer }, at, algod, options));
    const found = await firstIn(payment, lastRound, chargeIn);
    if (!found) return { state: lastRound < payment.lastValid ? 'open' : 'expired' };
    const { txId, amount } = found.value;
    return { state: 'confirmed', round: found.at, charge: { txId, amount } };
  }
  const pending = await inTurn(() => algod.pendingTransaction(payment.txId, options));
  if (pending?.confirmedRound) return { state: 'confirmed', round: pending.confirmedRound };
  if (lastRound < payment.lastValid) return outcomeOfSlot(payment, lastRound, { algod, options, inTurn });
  const holdsIt = async (at: bigint): Promise<true | undefined> => {
    const ids = await inTurn(() => algod.blockTransactionIds(at, options));
    return ids.includes(payment.txId) || undefined;
  };
  const found = await firstIn(payment, payment.lastValid, holdsIt);
  return found ? { state: 'confirmed', round: found.at } : { state: 'expired' };
}

interface Asking {
  readonly algod: AlgodClient;
  readonly options: { readonly signal?: AbortSignal };
  readonly inTurn: Turns;
}

/** A payment by mandate is over as soon as another one has taken its slot for as long as it is valid. */
async function outcomeOfSlot(
  payment: TrackedPayment,
  upTo: bigint,
  { algod, options, inTurn }: Asking,
): Promise<PaymentOutcome> {
  const { slotLease, payer, txId, lastValid } = payment;
  if (slotLease === undefined || payer === undefined) return OPEN;
  const taken = await firstIn(payment, upTo, (at) =>
    inTurn(() => leasedTransfer({ lease: slotLease, payer }, at, algod, options)),
  );
  if (!taken) return OPEN;
  if (taken.value.txId === txId) return { state: 'confirmed', round: taken.at };
  return taken.value.lastValid >= lastValid ? { state: 'expired' } : OPEN;
}

/**
 * The first round of a payment's window, not after `upTo`, for which `tell` resolves to a value. Rejects if a block
 * can't be read.
 */
async function firstIn<T>(
  { firstValid, lastValid }: TrackedPayment,
  upTo: bigint,
  tell: (round: bigint) => Promise<T | undefined>,
): Promise<{ readonly at: bigint; readonly value: T } | undefined> {
  for (const rounds of roundsBetween(firstValid, upTo < lastValid ? upTo : lastValid)) {
    const answers = await Promise.all(rounds.map(async (at) => ({ at, value: await tell(at) })));
    for (const { at, value } of answers) if (value !== undefined) return { at, value };
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
  const seconds = integerOf(fieldOf(record.get('block'), 'ts'));
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
