import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  isBuyer,
  MAX_RUNS,
  type Moment,
  type Presentation,
  type Redemption,
} from '../src/redemption/redemption.ts';

const NOW = 1_000_000;

const digest = fc.constantFrom('d1', 'd2');
const optionally = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const presentation: fc.Arbitrary<Presentation> = fc
  .record({
    groupDigest: digest,
    paymentId: optionally(fc.constantFrom('p1', 'p2')),
    fingerprint: optionally(fc.constantFrom('f1', 'f2')),
    route: fc.constantFrom('r1', 'r2'),
  })
  .map(({ groupDigest, paymentId, fingerprint, route }) => ({
    route,
    txId: 'TX',
    payer: 'PAYER',
    groupDigest,
    ...(paymentId !== undefined && { paymentId }),
    ...(fingerprint !== undefined && { fingerprint }),
  }));

const redemption: fc.Arbitrary<Redemption> = fc
  .record({
    presented: presentation,
    state: fc.constantFrom('claimed', 'released', 'sending', 'settled'),
    wasSent: fc.boolean(),
    runs: fc.integer({ min: 1, max: MAX_RUNS }),
    delivered: fc.boolean(),
    keptFor: optionally(fc.constantFrom(-1, 1)),
    reason: optionally(fc.constantFrom('duplicate_settlement', 'settlement_rejected')),
    isRecorded: fc.boolean(),
  })
  .map(({ presented, state, wasSent, runs, delivered, keptFor, reason, isRecorded }) => ({
    ...presented,
    version: 1,
    state,
    requirements: {
      scheme: 'exact',
      network: 'algorand:x',
      asset: '1',
      amount: '1',
      payTo: 'M',
      maxTimeoutSeconds: 1,
      extra: {},
    },
    idempotencyKey: 'k',
    owner: 'o',
    held: false,
    sent: wasSent || state === 'sending' || state === 'settled',
    runs,
    delivered,
    updatedAt: NOW,
    ...(keptFor !== undefined && {
      response: { status: 200, headers: [], body: new Uint8Array(), keptUntil: NOW + keptFor },
    }),
    ...(reason !== undefined && {
      receipt: {
        success: state === 'settled',
        errorReason: reason,
        transaction: 'TX',
        network: 'algorand:x' as const,
        ...(isRecorded && reason === 'settlement_rejected' && { extra: { state: 'rejected' } }),
      },
    }),
  }));

const moment: fc.Arbitrary<Moment> = fc.record({ now: fc.constant(NOW), isAtWork: fc.boolean() });

/** Decides every combination of a row and a request. */
function always(holds: (known: Redemption, presented: Presentation, moment: Moment) => void): void {
  fc.assert(fc.property(redemption, presentation, moment, holds), { numRuns: 2000 });
}

describe('what may happen with a presented payment', () => {
  it('is a claim when nothing is known of it', () => {
    fc.assert(fc.property(presentation, moment, (presented, at) => decide(undefined, presented, at) === 'claim'));
  });

  it('gives a response, another run, or a settlement under way to its buyer only', () => {
    always((known, presented, at) => {
      if (isBuyer(known, presented)) return;
      expect(['replay', 'rerun', 'resume']).not.toContain(decide(known, presented, at));
    });
  });

  it('gives nothing that was paid for to a request at another route', () => {
    always((known, presented, at) => {
      if (known.route === presented.route) return;
      expect(['replay', 'rerun', 'resume']).not.toContain(decide(known, presented, at));
    });
  });

  it('lets nobody but the buyer claim once settlement was asked for', () => {
    always((known, presented, at) => {
      if (known.sent && !isBuyer(known, presented)) expect(decide(known, presented, at)).not.toBe('claim');
    });
  });

  it('starts a handler neither while another request is at work, nor more than three times once settlement was asked for', () => {
    always((known, presented, at) => {
      const isStarting = ['claim', 'rerun'].includes(decide(known, presented, at));
      if (at.isAtWork && known.state !== 'released') expect(isStarting).toBe(false);
      if (known.sent && known.runs >= MAX_RUNS) expect(isStarting).toBe(false);
    });
  });

  it('never claims what is settled, nor what was settled for somebody else', () => {
    always((known, presented, at) => {
      const isElsewhere = known.sent && known.receipt?.errorReason === 'duplicate_settlement';
      if (known.state === 'settled' || isElsewhere) expect(decide(known, presented, at)).not.toBe('claim');
    });
  });

  it('never runs a handler for a payment that was submitted and may be on chain: its buyer asks what became of it', () => {
    always((known, presented, at) => {
      if (!known.sent || known.state !== 'released' || known.receipt?.extra?.['state'] !== 'rejected') return;
      if (isBuyer(known, presented)) expect(decide(known, presented, at)).toBe('resume');
    });
  });

  it('is never said to be used while its outcome is open', () => {
    always((known, presented, at) => {
      if (known.state !== 'sending') return;
      expect(['duplicate', 'exhausted', 'claim']).not.toContain(decide(known, presented, at));
    });
  });

  it('is a conflict exactly when its payment id came with another request', () => {
    always((known, presented, at) => {
      const isSameId = known.paymentId !== undefined && known.paymentId === presented.paymentId;
      const isConflict = isSameId && known.fingerprint !== presented.fingerprint;
      expect(decide(known, presented, at) === 'conflict').toBe(isConflict);
    });
  });

  it('is a conflict when its payment id came with another payment', () => {
    always((known, presented, at) => {
      if (known.paymentId === undefined || known.paymentId !== presented.paymentId) return;
      expect(decide(known, { ...presented, txId: 'OTHER' }, at)).toBe('conflict');
    });
  });
});
