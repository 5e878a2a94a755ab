import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { backoffMs } from '../pause.ts';
import type { Settlement, Transition } from './settlement.ts';
import type { Submission } from './submission.ts';

/**
 * The state of the submission. `first`: the first request of this row is under way. `unknown`: a request was sent and
 * no node has answered. `accepted`, `refused`: a node has answered.
 */
type SubmissionState = 'unsent' | 'first' | 'unknown' | 'accepted' | 'refused';

/** How far a settlement has got in this process, beyond what its row says. */
export interface Progress {
  readonly submissionState: SubmissionState;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** A payment confirmed up to this round is not ours. */
  readonly round: bigint;
  /** The last round that has been searched for it. */
  readonly searched: bigint;
  /** The block that contains it. */
  readonly found?: bigint;
  /** Submissions in a row without an answer. */
  readonly unanswered: number;
  /** When it was submitted last, in milliseconds since 1970, and the highest round then. */
  readonly submitted: { readonly at: number; readonly round: bigint };
  /** A refusal, and the round up to which blocks must be searched before it counts; absent until it is known. */
  readonly refusal?: Refusal;
}

interface Refusal {
  readonly why: AlgodRefusal;
  /** Whether a node may have had the group before, and may have passed it on. */
  readonly isPassedOn: boolean;
  readonly countsFrom?: bigint;
}

export type SettlementEvent =
  | { readonly type: 'begun'; readonly state: Settlement['state'] }
  /** A step was written to the row, or was not, because another replica owns the row. */
  | { readonly type: 'written'; readonly to: Transition['to']; readonly isOurs: boolean }
  | {
      readonly type: 'answered';
      readonly submission: Submission;
      /** As `Progress.submitted`. */
      readonly submitted: Progress['submitted'];
    }
  /** The pause after an unanswered submission is over. */
  | { readonly type: 'rested' }
  /** The current round, asked for after a refusal; absent if no node tells it. */
  | { readonly type: 'round_told'; readonly round?: bigint }
  | { readonly type: 'found'; readonly round: bigint }
  /** It is not in the blocks up to this round. */
  | { readonly type: 'passed'; readonly round: bigint; readonly now: number }
  /** It is in no block of its window. */
  | { readonly type: 'proven_absent' }
  /** A development node went back to a lower round. */
  | { readonly type: 'went_back' };

/**
 * Why nothing is left to do here. `already_on_chain`: somebody else put the payment on chain. `lost_to_replica`:
 * another replica works on it. `left_for_later`: the store failed, and the row must be taken up again.
 */
export const SETTLEMENT_ENDS = [
  'confirmed',
  'expired',
  'already_on_chain',
  'lost_to_replica',
  'left_for_later',
] as const;

export type SettlementEnd = (typeof SETTLEMENT_ENDS)[number];

/** Each command is done before the next event is handled. Those that wait end in an event of their own. */
export type Command =
  | { readonly do: 'write'; readonly step: SettlementStep }
  | { readonly do: 'submit' }
  | { readonly do: 'rest'; readonly ms: number }
  | { readonly do: 'ask_round' }
  | { readonly do: 'end'; readonly end: SettlementEnd };

/** A transition of the row, with a refusal still in algod's words. */
export type SettlementStep =
  | Exclude<Transition, { readonly to: 'rejected' }>
  | ({ readonly to: 'rejected' } & Pick<Refusal, 'why' | 'isPassedOn'>);

export interface Step {
  readonly progress: Progress;
  readonly commands: readonly Command[];
}

const BACKOFF = { firstMs: 250, mostMs: 5_000 };

/** An accepted group is submitted again after this much time and this many rounds, if no block contains it. */
const RESUBMIT_MS = 10_000;
const RESUBMIT_ROUNDS = 5n;

const ENDS: Readonly<Record<'confirmed' | 'expired' | 'released', SettlementEnd>> = {
  confirmed: 'confirmed',
  expired: 'expired',
  released: 'already_on_chain',
};

/** The progress with which a row's settlement begins here. */
export function beginning({ firstValid, lastValid, round, state }: Settlement): Progress {
  const submissionState = state === 'rejected' ? 'refused' : 'unsent';
  return {
    submissionState,
    firstValid,
    lastValid,
    round,
    searched: round,
    unanswered: 0,
    submitted: { at: 0, round: 0n },
  };
}

/** The progress after an event, and the commands that follow from it. Knows no clock, node or store. */
export function next(progress: Progress, event: SettlementEvent): Step {
  switch (event.type) {
    case 'begun':
      return begin(progress, event.state);
    case 'written':
      return written(progress, event);
    case 'answered':
      return answered({ ...progress, submitted: event.submitted }, event.submission);
    case 'rested':
      return { progress, commands: [{ do: 'submit' }] };
    case 'round_told':
      return roundTold(progress, event.round);
    case 'found':
      return conclude({ ...progress, found: event.round });
    case 'passed':
      return passed({ ...progress, searched: event.round }, event.now);
    case 'proven_absent':
      return write(progress, { to: 'expired' });
    case 'went_back':
      return wentBack(progress);
    default:
      return event satisfies never;
  }
}

function begin(progress: Progress, state: Settlement['state']): Step {
  if (state === 'recorded') return write(progress, { to: 'submitted' });
  return state === 'submitted' ? submit(progress, 'unknown') : stay(progress);
}

function written(progress: Progress, { to, isOurs }: Extract<SettlementEvent, { type: 'written' }>): Step {
  if (!isOurs) return end(progress, 'lost_to_replica');
  if (to === 'submitted') return submit(progress, 'first');
  return to === 'rejected' ? stay(progress) : end(progress, ENDS[to]);
}

function answered(progress: Progress, submission: Submission): Step {
  const isFirst = progress.submissionState === 'first' && submission.unanswered === 0;
  if (submission.answer === 'unknown') return unanswered(progress, submission);
  if (submission.answer === 'already_there' && isFirst) return write(progress, { to: 'released' });
  const known: Progress = { ...progress, unanswered: 0 };
  if (submission.answer !== 'refused') return conclude({ ...known, submissionState: 'accepted' });
  const refused: Progress = { ...known, submissionState: 'refused' };
  if (progress.found !== undefined) return conclude(refused);
  const refusal: Refusal = { why: submission.refusal, isPassedOn: !isFirst };
  if (isFirst) return rejectIfSearched({ ...refused, refusal: { ...refusal, countsFrom: 0n } });
  return { progress: { ...refused, refusal }, commands: [{ do: 'ask_round' }] };
}

/** If every request was refused without a decision, no node has the group from us: the next one is still the first. */
function unanswered(progress: Progress, submission: Submission): Step {
  const submissionState = submission.unanswered > 0 ? 'unknown' : progress.submissionState;
  const step = conclude({ ...progress, submissionState, unanswered: progress.unanswered + 1 });
  if (step.commands.length > 0) return step;
  return { ...step, commands: [{ do: 'rest', ms: backoffMs(step.progress.unanswered, BACKOFF) }] };
}

/**
 * The refusal of a repeated request counts only when blocks up to this round have been searched: a confirmed payment is
 * refused as well once its window is over. If no node tells the round, the search must reach the window's end.
 */
function roundTold(progress: Progress, round = progress.lastValid): Step {
  const { refusal } = progress;
  return refusal === undefined
    ? stay(progress)
    : rejectIfSearched({ ...progress, refusal: { ...refusal, countsFrom: round } });
}

function rejectIfSearched(progress: Progress): Step {
  const { refusal, ...rest } = progress;
  if (refusal?.countsFrom === undefined || refusal.countsFrom > progress.searched) return stay(progress);
  const { why, isPassedOn } = refusal;
  return progress.found === undefined ? write(rest, { to: 'rejected', why, isPassedOn }) : stay(progress);
}

/**
 * Concludes if the payment is in a block. While the first request is unanswered, nobody knows who brought the payment
 * there; if it was there before the row was written, somebody else did.
 */
function conclude(progress: Progress): Step {
  const { found, submissionState, round } = progress;
  if (found === undefined || submissionState === 'first' || submissionState === 'unsent') return stay(progress);
  return write(progress, found <= round ? { to: 'released' } : { to: 'confirmed', confirmedRound: found });
}

function passed(progress: Progress, now: number): Step {
  const { submitted, searched, submissionState } = progress;
  // Where the clock was set back, the rounds alone tell that time has passed.
  const isLater = now >= submitted.at + RESUBMIT_MS || now < submitted.at;
  const isOverdue = searched >= submitted.round + RESUBMIT_ROUNDS && isLater;
  return submissionState === 'accepted' && isOverdue ? submit(progress, 'unknown') : rejectIfSearched(progress);
}

/**
 * An accepted group may be gone. Nobody knows how far back the node had gone before it was noticed, so the payment may
 * now be in any block of its window.
 */
function wentBack(progress: Progress): Step {
  const before = progress.firstValid === 0n ? 0n : progress.firstValid - 1n;
  const lower: Progress = before < progress.round ? { ...progress, round: before } : progress;
  return lower.submissionState === 'accepted' ? submit(lower, 'unknown') : stay(lower);
}

function submit(progress: Progress, submissionState: SubmissionState): Step {
  return { progress: { ...progress, submissionState, unanswered: 0 }, commands: [{ do: 'submit' }] };
}

function write(progress: Progress, step: SettlementStep): Step {
  return { progress, commands: [{ do: 'write', step }] };
}

function end(progress: Progress, how: SettlementEnd): Step {
  return { progress, commands: [{ do: 'end', end: how }] };
}

function stay(progress: Progress): Step {
  return { progress, commands: [] };
}
