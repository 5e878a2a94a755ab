import {
  admit,
  type ChannelCredit,
  charge,
  chargePart,
  type CreditRefusal,
  REMEMBERED_AMOUNTS,
  remembering,
  withdraw,
} from '@avm402/avm/batch-settlement/server/record';
import type { X402ErrorCode } from '@avm402/core/errors';
import type { Channel, ChannelRequest } from './channel.ts';
import {
  applyStep,
  type ChannelStep,
  type ChargeStep,
  costOf,
  type Draft,
  type HighestVoucher,
} from './channel-step.ts';
import type { ChannelChange, RememberedRequest } from './channel-store.ts';

/** A step that waits to be on record. */
interface Waiting {
  readonly step: ChannelStep;
  /** Failed writes of the step. */
  readonly attempts: number;
}

/**
 * A channel's row as one server knows it, and the steps that wait to be recorded in it. Each write starts from the
 * known version. If another server was faster, or if it is unknown what became of a write, the record is read again,
 * and the steps that are missing in it are written again, if they still fit.
 */
export interface ChannelRecord {
  /** This process, as rows of requests name it. */
  readonly owner: string;
  /** What is on record, as far as this process knows. */
  readonly row: Channel;
  /** Whether `row` may have changed by now. It is then read before anything is written to it. */
  readonly knowledge: 'known' | 'stale' | 'loading';
  /** The row's money, including what is under way and what waits to be recorded. */
  readonly credit: ChannelCredit;
  readonly highest: HighestVoucher | undefined;
  readonly waiting: readonly Waiting[];
  /** The steps of the last write, until it is known whether they are on record. */
  readonly sent: readonly Waiting[];
  /** The last write, while it is under way. */
  readonly change: ChannelChange | undefined;
  /** Why the last write failed; undefined if it did not. */
  readonly trouble: unknown;
  /**
   * Requests that may be on record with a charge for which they got nothing, because its write has failed, or taking it
   * back has; each as it was before that, by amount.
   */
  readonly doubtful: ReadonlyMap<bigint, ChannelRequest>;
  /** Amounts that another server has charged. */
  readonly takenElsewhere: ReadonlySet<bigint>;
  /** The amounts of requests that were on record at the last reading, by payment id. */
  readonly paymentIds: ReadonlyMap<string, bigint>;
}

export type RecordEvent =
  /** A step must be recorded. */
  | { readonly type: 'asked'; readonly step: ChannelStep }
  /** The steps that wait can be written now. */
  | { readonly type: 'due' }
  | { readonly type: 'written' }
  /** Another version was on record: nothing was written. */
  | { readonly type: 'outdated' }
  /** It is unknown whether the change was written. */
  | { readonly type: 'failed'; readonly error: unknown }
  /** Somebody wants to know what is on record. */
  | { readonly type: 'looked' }
  | ({ readonly type: 'loaded' } & LoadedRecord)
  | { readonly type: 'loadFailed'; readonly error: unknown };

/**
 * What was read. The row was read first: anything recorded since makes the next write `outdated`, so nothing is lost.
 */
interface LoadedRecord {
  readonly row: Channel;
  readonly remembered: readonly RememberedRequest[];
  readonly deposits: ReadonlySet<string>;
}

/** Each command is started before the next event is handled; the end of `submit` and `load` is an event. */
export type Command =
  /** Ask for a turn to write. */
  | { readonly do: 'submit' }
  /** Read the row and its requests, and whether these deposits are counted. */
  | { readonly do: 'load'; readonly deposits: readonly string[] }
  /** Tell the caller of the step that it is on record. */
  | { readonly do: 'tell'; readonly step: ChannelStep; readonly row: Channel }
  | { readonly do: 'refuse'; readonly step: ChannelStep; readonly code: X402ErrorCode; readonly cause?: unknown };

export interface RecordStep {
  readonly record: ChannelRecord;
  readonly commands: readonly Command[];
}

export type AdmissionRefusal = CreditRefusal | 'channel_closed';

/** Failed writes of one step after which its request is told that the store fails. */
const MAX_ATTEMPTS = 2;

/**
 * Versions between two times at which requests are forgotten: each time costs a store something, each request hardly
 * anything.
 */
const VERSIONS_A_FLOOR = 64;

/** A channel as it was read. */
export function recordOf(row: Channel, remembered: readonly RememberedRequest[], owner: string): ChannelRecord {
  const { balance, authorized, charged, floor } = row;
  const credit = { balance, authorized, charged, reserved: [], seen: [], floor };
  const empty: ChannelRecord = {
    owner,
    row,
    knowledge: 'known',
    credit,
    highest: undefined,
    waiting: [],
    sent: [],
    change: undefined,
    trouble: undefined,
    doubtful: new Map(),
    takenElsewhere: new Set(),
    paymentIds: new Map(),
  };
  return recounted(remember(empty, remembered));
}

/**
 * The record with a request admitted by a voucher whose signature was checked, or the reason why it is not admitted.
 */
export function admitted(
  record: ChannelRecord,
  { maximum, ...voucher }: HighestVoucher & { readonly maximum: bigint },
): ChannelRecord | AdmissionRefusal {
  const { row, highest } = record;
  const { amount } = voucher;
  if (row.state !== 'open') return 'channel_closed';
  if (amount < row.floor) return 'cumulative_amount_mismatch';
  const credit = admit(record.credit, { amount, maximum });
  if (typeof credit === 'string') return credit;
  return { ...record, credit, highest: highest === undefined || amount > highest.amount ? voucher : highest };
}

/** The record after an admitted request has ended: the request costs no more than it was charged. */
export function released(record: ChannelRecord, amount: bigint): ChannelRecord {
  return { ...record, credit: charge(record.credit, amount, 0n) };
}

/** Whether nothing waits to be on record. */
export function isSettled({ waiting, sent, knowledge }: ChannelRecord): boolean {
  return waiting.length === 0 && sent.length === 0 && knowledge !== 'loading';
}

/** The record after an event, and the commands that follow. Uses no clock and no store. */
export function next(record: ChannelRecord, event: RecordEvent): RecordStep {
  switch (event.type) {
    case 'asked':
      return goOn(ask(record, event.step));
    case 'due':
      return compose(record);
    case 'written':
      return written(record);
    case 'outdated':
      return load(record);
    case 'failed':
      return load({ ...record, trouble: event.error, sent: record.sent.map(failedOnce) });
    case 'looked':
      return record.change === undefined ? load(record) : stay({ ...record, knowledge: 'stale' });
    case 'loaded':
      return loaded(record, event);
    case 'loadFailed':
      return loadFailed(record, event.error);
    default:
      return event satisfies never;
  }
}

/** @throws RangeError for a charge above what its request was admitted for */
function ask(record: ChannelRecord, step: ChannelStep): ChannelRecord {
  const waiting = [...record.waiting, { step, attempts: 0 }];
  if (step.kind !== 'charge') return { ...record, waiting };
  return { ...record, waiting, credit: chargePart(record.credit, step.request.amount, step.cost) };
}

/** Asks for a write, unless one is under way, or the version to write on is unknown. */
function goOn(record: ChannelRecord): RecordStep {
  if (record.knowledge === 'stale' && record.change === undefined) return load(record);
  const isReady = record.waiting.length > 0 && record.change === undefined && record.knowledge === 'known';
  return isReady ? { record, commands: [{ do: 'submit' }] } : stay(record);
}

/** Makes one change of everything that waits and fits. */
function compose(record: ChannelRecord): RecordStep {
  if (record.knowledge !== 'known' || record.change !== undefined) return stay(record);
  const { version } = record.row;
  let draft: Draft = { next: { ...record.row, version: version + 1, floor: floorOf(record) } };
  const sent: Waiting[] = [];
  const commands: Command[] = [];
  for (const waiting of record.waiting) {
    const { step } = waiting;
    const applied = vetoOf(record, step) ?? applyStep(draft, step, record.highest);
    if (typeof applied === 'string') commands.push({ do: 'refuse', step, code: applied });
    else {
      draft = applied;
      sent.push(waiting);
    }
  }
  const change = sent.length === 0 ? undefined : { ...draft, previous: version };
  return { record: recounted({ ...record, waiting: [], sent, change }), commands };
}

function vetoOf({ takenElsewhere }: ChannelRecord, step: ChannelStep): X402ErrorCode | undefined {
  const isTaken = step.kind === 'charge' && takenElsewhere.has(step.request.amount);
  return isTaken ? 'invalid_batch_settlement_avm_channel_busy' : undefined;
}

/**
 * The new floor. What is under way or in doubt stays above it: a row must not be forgotten before it is known to have
 * been written.
 */
function floorOf({ row, credit, waiting, doubtful }: ChannelRecord): bigint {
  const { floor, version } = row;
  const { seen, reserved } = credit;
  if (seen.length < REMEMBERED_AMOUNTS || version % VERSIONS_A_FLOOR !== 0) return floor;
  const asked = waiting.flatMap(({ step }) => requestOf(step)?.amount ?? []);
  const underWay = [...reserved.map(({ id }) => id), ...asked, ...doubtful.keys()];
  const lowest = underWay.reduce((one, other) => (one < other ? one : other), seen[0] ?? 0n);
  return lowest > floor ? lowest : floor;
}

function written(record: ChannelRecord): RecordStep {
  const { change, sent } = record;
  if (change === undefined) return stay(record);
  const row = change.next;
  const known = {
    ...record,
    row,
    paymentIds: paymentIdsWithout(record, sent),
    sent: [],
    change: undefined,
    trouble: undefined,
    doubtful: doubtsBeside(record, sent),
  };
  const after = goOn(recounted(known));
  return { ...after, commands: [...sent.map(({ step }) => ({ do: 'tell', step, row }) as const), ...after.commands] };
}

/** The payment ids in use: that of a request whose whole charge was taken back is free again. */
function paymentIdsWithout({ paymentIds }: ChannelRecord, sent: readonly Waiting[]): ChannelRecord['paymentIds'] {
  const undone = sent.flatMap(({ step }) => (step.kind === 'undo' && step.request.charge === 0n ? [step.request] : []));
  if (undone.length === 0) return paymentIds;
  return new Map([...paymentIds].filter(([, amount]) => !undone.some((request) => request.amount === amount)));
}

/** Reads the record again: what was sent may not be on record, or another row may be. */
function load(record: ChannelRecord): RecordStep {
  if (record.knowledge === 'loading') return stay(record);
  const deposits = record.sent.flatMap(({ step }) => (step.kind === 'deposit' ? [step.txId] : []));
  return { record: { ...record, knowledge: 'loading', change: undefined }, commands: [{ do: 'load', deposits }] };
}

/** Tells the steps that are on record, and those that failed too often. The rest is written again. */
function loaded(record: ChannelRecord, found: LoadedRecord): RecordStep {
  const { row } = found;
  const { owner, sent, trouble } = record;
  const recorded = sent.filter((waiting) => isOn(waiting, { ...found, owner, sent }));
  const missing = sent.filter((waiting) => !recorded.includes(waiting));
  const waiting = [
    ...undoing({ owner, doubtful: doubtsBeside(record, recorded) }, found),
    ...missing.filter(({ attempts }) => attempts < MAX_ATTEMPTS),
    ...record.waiting,
  ];
  const known = { ...record, row, knowledge: 'known', waiting, sent: [], doubtful: new Map<bigint, never>() } as const;
  const overdue = missing.filter(({ attempts }) => attempts >= MAX_ATTEMPTS);
  const refused = refuse(remember(known, found.remembered), overdue, trouble);
  const after = goOn(recounted(refused.record));
  const told = recorded.map(({ step }) => ({ do: 'tell', step, row }) as const);
  return { ...after, commands: [...told, ...refused.commands, ...after.commands] };
}

/** Refuses everything that waits, including what came since, because nobody else would tell it. */
function loadFailed(record: ChannelRecord, error: unknown): RecordStep {
  const { sent, waiting, trouble = error } = record;
  const left = refuse({ ...record, knowledge: 'stale', sent: [], waiting: [] }, [...sent, ...waiting], trouble);
  return { ...left, record: recounted(left.record) };
}

type Loaded = LoadedRecord & Pick<ChannelRecord, 'owner' | 'sent'>;

function isOn({ step }: Waiting, { row, remembered, deposits, owner, sent }: Loaded): boolean {
  if (step.kind === 'deposit') return deposits.has(step.txId);
  if (step.kind === 'closing') return row.state !== 'open';
  if (step.kind === 'closed' || step.kind === 'lost') return row.state === step.kind;
  const { amount } = step.request;
  const known = remembered.find((request) => request.amount === amount);
  // A write is recorded whole or not at all: of its steps about one request, the last one decides.
  const last = sent.findLast((other) => requestOf(other.step)?.amount === amount);
  return known?.owner === owner && known.charge === requestOf(last?.step ?? step)?.charge;
}

/** Takes back charges that are on record after all: their requests were told that the store fails, and got nothing. */
function undoing(
  { owner, doubtful }: Pick<ChannelRecord, 'owner' | 'doubtful'>,
  { remembered }: LoadedRecord,
): Waiting[] {
  return remembered.flatMap((known) => {
    const request = doubtful.get(known.amount);
    if (request === undefined || known.owner !== owner || known.charge === request.charge) return [];
    return [{ step: { kind: 'undo', request, cost: known.charge - request.charge } as const, attempts: 0 }];
  });
}

/** The doubts about other requests than those that were charged now: what is on record of these is what they got. */
function doubtsBeside({ doubtful }: ChannelRecord, charged: readonly Waiting[]): ChannelRecord['doubtful'] {
  if (doubtful.size === 0) return doubtful;
  const amounts = new Set(charged.map(({ step }) => requestOf(step)?.amount));
  return new Map([...doubtful].filter(([amount]) => !amounts.has(amount)));
}

/** Refuses steps because the store fails. What could not be taken back stays in doubt, and is taken back later. */
function refuse(record: ChannelRecord, steps: readonly Waiting[], cause: unknown): RecordStep {
  const doubtful = new Map(record.doubtful);
  let { credit } = record;
  for (const { step, attempts } of steps) {
    if (step.kind === 'undo') doubtful.set(step.request.amount, step.request);
    if (step.kind !== 'charge') continue;
    const { request } = step;
    const { amount } = request;
    // A response that is kept can be collected, so it is paid for. Of several parts, the first tells the charge before.
    const isDoubtful = attempts > 0 && request.response === undefined && !doubtful.has(amount);
    if (isDoubtful) doubtful.set(amount, { ...request, charge: request.charge - step.cost });
    if (isForgotten(credit, step)) credit = withdraw(credit, amount);
  }
  const commands = steps.map(({ step }) => ({ do: 'refuse', step, code: 'store_unavailable', cause }) as const);
  return { record: { ...record, credit, doubtful }, commands };
}

/** Whether a voucher may come again: nothing was charged by it before, and its request has ended. */
function isForgotten({ reserved }: ChannelCredit, { request, cost }: ChargeStep): boolean {
  return request.charge <= cost && !reserved.some(({ id }) => id === request.amount);
}

/** Adopts the requests that are on record, in addition to those that this process has under way. */
function remember(record: ChannelRecord, remembered: readonly RememberedRequest[]): ChannelRecord {
  const { row, credit, owner } = record;
  const { authorized: amount, signature } = row;
  const isHigher = signature !== undefined && amount > (record.highest?.amount ?? 0n);
  const seen = new Set([...credit.seen, ...remembered.map((request) => request.amount)]);
  const sorted = [...seen].toSorted((one, other) => (one < other ? -1 : 1));
  return {
    ...record,
    highest: isHigher ? { amount, signature } : record.highest,
    credit: { ...credit, ...remembering(credit, sorted) },
    takenElsewhere: new Set(remembered.filter((one) => one.owner !== owner).map((one) => one.amount)),
    paymentIds: new Map(
      remembered.flatMap(({ paymentId, ...one }) => (paymentId && one.charge > 0n ? [[paymentId, one.amount]] : [])),
    ),
  };
}

/** The record with its money counted again, including what waits to be recorded. */
function recounted(record: ChannelRecord): ChannelRecord {
  const { balance, authorized, charged } = record.row;
  const highest = record.highest?.amount ?? 0n;
  const waiting = [...record.sent, ...record.waiting].reduce((sum, { step }) => sum + costOf(step), 0n);
  const credit = {
    ...record.credit,
    balance,
    authorized: highest > authorized ? highest : authorized,
    charged: charged + waiting,
  };
  return { ...record, credit };
}

function requestOf(step: ChannelStep): ChannelRequest | undefined {
  return step.kind === 'charge' || step.kind === 'undo' ? step.request : undefined;
}

function failedOnce({ step, attempts }: Waiting): Waiting {
  return { step, attempts: attempts + 1 };
}

function stay(record: ChannelRecord): RecordStep {
  return { record, commands: [] };
}
