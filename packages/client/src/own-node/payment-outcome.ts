import type { AlgodClient, RequestOptions } from '@avm402/algorand/algod';
import { algodRefusal } from '@avm402/algorand/algod-refusal';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { type Charge, type HeldLease, leasedTransfer } from './leased-transfer.ts';
import { fieldOf, integerOf, roundsBetween } from './block-record.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { ANSWER_KEPT_ROUNDS } from '../journal/unfinished.ts';
import { unlessAborted } from '../http/unless-aborted.ts';

/** The outcome of a payment, as the buyer's own node knows it. */
export type PaymentOutcome =
  | { readonly state: 'confirmed'; readonly round: bigint; readonly charge?: Charge }
  /** It was not confirmed and never will be. */
  | { readonly state: 'expired' }
  /** Neither: it may still be confirmed, or the node can't tell. */
  | { readonly state: 'open' }
  /** It can't be confirmed any more, and the node no longer has the blocks that tell whether it was. */
  | { readonly state: 'forgotten' };

export type TrackedPayment = Pick<SentPayment, 'txId' | 'network' | 'firstValid' | 'lastValid'> &
  Partial<Pick<SentPayment, 'lease' | 'slotLease' | 'payer'>>;

const OPEN = { state: 'open' } as const;
const EXPIRED = { state: 'expired' } as const;
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
 * its window, and none of them holds it. Anything that can't be read leaves it open; a block that the node says it does not
 * have makes it forgotten, long after its window.
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
  const inTurn = turnsOf(algod);
  const { genesisHash, lastRound } = await inTurn(() => algod.params({ signal }));
  if (!networksEqual(networkOfGenesis(genesisHash), payment.network)) return OPEN;
  const isLongOver = lastRound >= payment.lastValid + ANSWER_KEPT_ROUNDS;
  return searched(payment, lastRound, { algod, options: { signal }, inTurn }).catch((error: unknown) =>
    isLongOver && algodRefusal(error, 404) ? { state: 'forgotten' } : OPEN,
  );
}

interface Found<T> {
  readonly at: bigint;
  readonly value: T;
}

type FoundTransfer = Found<Charge>;

interface Asking {
  readonly algod: AlgodClient;
  readonly options: RequestOptions;
  readonly inTurn: Turns;
}

async function searched(
  payment: TrackedPayment,
  lastRound: bigint,
  { algod, options, inTurn }: Asking,
): Promise<PaymentOutcome> {
  const { txId, lease, slotLease, payer, lastValid } = payment;
  const transferBy = (held: HeldLease) =>
    firstIn(payment, lastRound, (at) => inTurn(() => leasedTransfer(held, at, algod, options)));
  const isOver = lastRound >= lastValid;
  if (lease !== undefined && payer !== undefined) {
    return outcomeOfCharge(await transferBy({ lease, payer }), isOver);
  }
  const pending = await inTurn(() => algod.pendingTransaction(txId, options));
  if (pending?.confirmedRound) return { state: 'confirmed', round: pending.confirmedRound };
  if (isOver) {
    const holdsIt = async (at: bigint): Promise<true | undefined> =>
      (await inTurn(() => algod.blockTransactionIds(at, options))).includes(txId) || undefined;
    const found = await firstIn(payment, lastValid, holdsIt);
    return found ? { state: 'confirmed', round: found.at } : EXPIRED;
  }
  if (slotLease === undefined || payer === undefined) return OPEN;
  // A payment that has the slot only until the window before is over may come first, and ends nothing.
  return outcomeOfSlot(txId, await transferBy({ lease: slotLease, payer, until: lastValid }));
}

function outcomeOfCharge(charged: FoundTransfer | undefined, isOver: boolean): PaymentOutcome {
  if (!charged) return isOver ? EXPIRED : OPEN;
  return { state: 'confirmed', round: charged.at, charge: charged.value };
}

/** A payment by mandate is over as soon as another one has taken its slot for as long as it is valid. */
function outcomeOfSlot(txId: string, taken: FoundTransfer | undefined): PaymentOutcome {
  if (!taken) return OPEN;
  return taken.value.txId === txId ? { state: 'confirmed', round: taken.at } : EXPIRED;
}

/**
 * The first round of a payment's window, not after `upTo`, for which `tell` resolves to a value. Rejects if a block
 * can't be read.
 */
async function firstIn<T>(
  { firstValid, lastValid }: TrackedPayment,
  upTo: bigint,
  tell: (round: bigint) => Promise<T | undefined>,
): Promise<Found<T> | undefined> {
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
  const record = await unlessAborted(signal, () => turnsOf(algod)(() => algod.block(round, { signal })));
  const seconds = integerOf(fieldOf(record.get('block'), 'ts'));
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
