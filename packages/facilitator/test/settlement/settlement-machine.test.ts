import { parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Settlement, type SettlementState, TRANSITIONS } from '../../src/settlement/settlement.ts';
import {
  beginning,
  type Command,
  next,
  type Progress,
  type SettlementEvent,
} from '../../src/settlement/settlement-machine.ts';
import type { Submission } from '../../src/settlement/submission.ts';
import { settlement } from '../stores/settlement-store-contract.ts';

const WHY = parseAlgodRefusal('underflow on subtracting 1 from sender amount 0');
const round = fc.bigInt({ min: 90n, max: 210n });

const submission: fc.Arbitrary<Submission> = fc
  .tuple(fc.constantFrom('accepted', 'already_there', 'refused', 'unknown'), fc.nat(2))
  .map(([answer, unanswered]) =>
    answer === 'refused' ? { answer, refusal: WHY, unanswered } : { answer, unanswered },
  );

/** What the world may tell at any time; answers to commands come only when they are due. */
const fromOutside: fc.Arbitrary<SettlementEvent> = fc.oneof(
  fc.record({ type: fc.constant('found' as const), round }),
  fc.record({ type: fc.constant('passed' as const), round, now: fc.nat(100_000) }),
  fc.constant({ type: 'proven_absent' as const }),
  fc.constant({ type: 'went_back' as const }),
);

interface Turn {
  readonly outside: SettlementEvent;
  readonly submission: Submission;
  readonly round: bigint | undefined;
  /** Which of the commands that wait is answered in this turn, if one does. */
  readonly answers: number;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  outside: fromOutside,
  submission,
  round: fc.option(round, { nil: undefined }),
  answers: fc.nat(3),
});

/** A row and a world that does what the machine says, and keeps what it did. */
class World {
  state: SettlementState | 'released';
  progress: Progress;
  isOver = false;
  readonly waiting: Exclude<Command['do'], 'write' | 'end'>[] = [];
  /** The answers that nodes gave, in order. */
  readonly heard: Submission[] = [];
  readonly wasFresh: boolean;
  /** The round that was told last. */
  countsFrom: bigint | undefined;

  constructor(state: 'recorded' | 'submitted' | 'rejected') {
    const row: Settlement = { ...settlement('A'), state, delivered: false, recordedAt: 0, owner: 'us' };
    this.state = state;
    this.wasFresh = state === 'recorded';
    this.progress = beginning(row);
    this.tell({ type: 'begun', state });
  }

  tell(event: SettlementEvent): void {
    if (this.isOver) return;
    const { progress, commands } = next(this.progress, event);
    this.progress = progress;
    for (const command of commands) this.#do(command);
  }

  take({ outside, submission: answer, round: current, answers }: Turn): void {
    const [due] = this.waiting.splice(answers, 1);
    if (due === undefined) return this.tell(outside);
    if (due === 'submit') {
      this.heard.push(answer);
      this.tell({ type: 'answered', submission: answer, submitted: { at: 0, round: 100n } });
    } else if (due === 'rest') this.tell({ type: 'rested' });
    else {
      this.countsFrom = current ?? this.progress.lastValid;
      this.tell({ type: 'round_told', ...(current === undefined ? {} : { round: current }) });
    }
  }

  #do(command: Command): void {
    if (command.do === 'end') {
      this.isOver = true;
    } else if (command.do === 'write') {
      this.#write(command);
    } else {
      this.waiting.push(command.do);
      expect(this.waiting.filter((one) => one !== 'ask_round').length, 'one submission at a time').toBeLessThan(2);
      if (command.do === 'submit') expect(this.state, 'nothing is sent before it is written').toBe('submitted');
    }
  }

  #write({ step }: Extract<Command, { do: 'write' }>): void {
    const from: readonly string[] = TRANSITIONS[step.to];
    expect(from, `${step.to} follows ${this.state}`).toContain(this.state);
    const { found, searched, round: since } = this.progress;
    if (step.to === 'confirmed') {
      expect(step.confirmedRound > since, 'what was there before the row is not ours').toBe(true);
      expect(this.wasFresh && this.heard.length === 0, 'nobody knows who brought it').toBe(false);
    }
    if (step.to === 'rejected') {
      expect(found, 'what is in a block is not refused').toBeUndefined();
      const isFirst = this.wasFresh && this.heard.every(({ unanswered }) => unanswered === 0);
      const isSearched = this.countsFrom !== undefined && searched >= this.countsFrom;
      const hadIt = this.heard.some(
        ({ answer, unanswered }) => unanswered > 0 || !['refused', 'unknown'].includes(answer),
      );
      expect(step.isPassedOn, 'a node may have passed it on').toBe(!this.wasFresh || hadIt);
      expect(isFirst || isSearched, 'a refusal of a repeated request waits for the blocks').toBe(true);
    }
    this.state = step.to;
    this.tell({ type: 'written', to: step.to, isOurs: true });
  }
}

describe('the settlement machine', () => {
  it('makes only steps that follow, sends one request at a time, and takes nothing for its own that may not be', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('recorded' as const, 'submitted' as const, 'rejected' as const),
        fc.array(turn, { maxLength: 30 }),
        (state, turns) => {
          const world = new World(state);
          for (const one of turns) if (!world.isOver) world.take(one);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['of the first request counts at once', 'first' as const, 0, []],
    ['of a repeated one asks for the round first', 'unknown' as const, 0, [{ do: 'ask_round' }]],
    ['after one without an answer asks for the round first', 'first' as const, 1, [{ do: 'ask_round' }]],
  ])('knows that a refusal %s', (_, submissionState, unanswered, expected) => {
    const row: Settlement = { ...settlement('A'), state: 'submitted', delivered: false, recordedAt: 0, owner: 'us' };
    const submitted = { at: 0, round: 100n };
    const answer: SettlementEvent = {
      type: 'answered',
      submission: { answer: 'refused', refusal: WHY, unanswered },
      submitted,
    };
    const { commands } = next({ ...beginning(row), submissionState }, answer);
    expect(commands).toEqual(
      expected.length > 0 ? expected : [{ do: 'write', step: { to: 'rejected', why: WHY, isPassedOn: false } }],
    );
  });

  it('ends when the row is another replica’s', () => {
    const row: Settlement = { ...settlement('A'), state: 'submitted', delivered: false, recordedAt: 0, owner: 'us' };
    const lost = next(beginning(row), { type: 'written', to: 'confirmed', isOurs: false });
    expect(lost.commands).toEqual([{ do: 'end', end: 'lost_to_replica' }]);
  });
});

describe('a group that a node took and no block contains', () => {
  const row: Settlement = { ...settlement('A'), state: 'submitted', delivered: false, recordedAt: 0, owner: 'us' };
  const submitted = { at: 1_000_000, round: 100n };
  const taken = { ...beginning(row), submissionState: 'accepted', submitted } as const;

  it.each([
    ['ten seconds later', 1_010_000, [{ do: 'submit' }]],
    ['sooner', 1_009_999, []],
    ['when the clock was set back meanwhile', 999_999, [{ do: 'submit' }]],
  ])('is sent again after five rounds, %s: %j', (_when, now, commands) => {
    expect(next(taken, { type: 'passed', round: 105n, now }).commands).toEqual(commands);
  });
});
