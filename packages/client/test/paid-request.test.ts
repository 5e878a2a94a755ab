import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advance,
  outcomeOf,
  PaymentProof,
  type PaidRequest,
  type PaidRequestEvent,
} from '../src/payment/paid-request.ts';
import { UnfinishedPayments } from '../src/payment/unfinished-payments.ts';

const sent: PaidRequest = {
  state: 'sent',
  payment: { txId: 'T' } as never,
  proof: new PaymentProof('header', new URL('https://x.example/')),
};
const receipt = { success: true, transaction: 'T', network: 'algorand:*' } as const;
const after = (...events: readonly PaidRequestEvent[]): PaidRequest => events.reduce(advance, sent);

const outcome = fc.oneof(
  fc.constant({ state: 'open' } as const),
  fc.constant({ state: 'expired' } as const),
  fc.record({ state: fc.constant('confirmed' as const), round: fc.bigInt(1n, 9n) }),
);
const at = fc.nat(100);
const event: fc.Arbitrary<PaidRequestEvent> = fc.oneof(
  fc.constant({ event: 'receipt', receipt } as const),
  fc.record({ event: fc.constant('seen' as const), outcome }),
  fc.record({ event: fc.constant('delivered' as const), at }),
  fc.record({ event: fc.constant('undelivered' as const), at }),
);

describe('a payment that left', () => {
  it('is answered when what was paid for comes, and no longer when that breaks off', () => {
    expect(after({ event: 'delivered', at: 5 })).toEqual({ ...sent, state: 'answered', unfinishedSince: 5 });
    expect(after({ event: 'delivered', at: 5 }, { event: 'undelivered', at: 7 })).toEqual({
      ...sent,
      unfinishedSince: 5,
    });
  });

  it('ends as the first that the own node has seen of its end, whatever comes after', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const seen = events.flatMap((one) =>
          one.event === 'seen' && one.outcome.state !== 'open' ? [one.outcome] : [],
        );
        expect(outcomeOf(after(...events))).toEqual(seen[0] ?? { state: 'open' });
      }),
    );
  });

  it('keeps its receipt, its payment, and since when something is missing', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const paid = after(...events);
        expect(paid).toMatchObject({ payment: sent.payment, proof: sent.proof });
        expect(paid.receipt).toBe(events.some((one) => one.event === 'receipt') ? receipt : undefined);
        expect(paid.unfinishedSince).toBe(events.flatMap((one) => ('at' in one ? [one.at] : []))[0]);
      }),
    );
  });
});

describe('payments that are kept for the next identical request', () => {
  it('are given out once each, in order', () => {
    const kept = new UnfinishedPayments({ now: () => 0 });
    const other = { ...sent, proof: new PaymentProof('other', new URL('https://x.example/')) };
    kept.keep('a', sent);
    kept.keep('a', other);
    expect([kept.take('b'), kept.take('a'), kept.take('a'), kept.take('a')]).toEqual([
      undefined,
      sent,
      other,
      undefined,
    ]);
  });

  it('are given out as what is known of them last, unless somebody has them', () => {
    const kept = new UnfinishedPayments({ now: () => 0 });
    const answered = advance(sent, { event: 'delivered', at: 0 });
    kept.keep('a', answered);
    kept.update('a', advance(answered, { event: 'undelivered', at: 1 }));
    expect(kept.take('a')?.state).toBe('sent');
    kept.update('a', answered);
    expect(kept.take('a')).toBeUndefined();
  });

  it('are given out until they expire, however old they are', () => {
    let now = 0;
    const kept = new UnfinishedPayments({ now: () => now });
    const lost = advance(sent, { event: 'undelivered', at: 0 });
    const keep = (paid: PaidRequest): void => kept.keep('a', paid);
    keep(advance(lost, { event: 'seen', outcome: { state: 'expired' } }));
    expect(kept.take('a')).toBeUndefined();
    const confirmed = advance(lost, { event: 'seen', outcome: { state: 'confirmed', round: 1n } });
    now = 599_999;
    expect([kept.isOld(lost), kept.isOld(confirmed)]).toEqual([false, false]);
    now = 600_000;
    expect([kept.isOld(lost), kept.isOld(confirmed)]).toEqual([true, true]);
    for (const paid of [lost, confirmed]) {
      keep(paid);
      expect(kept.take('a')).toBe(paid);
    }
  });
});
