import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../src/facilitator/fair-queue.ts';
import { later } from './support/facilitator-stub.ts';

const wanted = (): boolean => true;

/** Work that ends when it is told to, in the order in which it began. */
function workshop(atOnce: number) {
  const queue = new FairQueue(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const outcomes: Promise<string>[] = [];
  return {
    begun,
    outcomes,
    ask: (peer: string, name: string, isWanted = wanted) => {
      const work = async (): Promise<string> => {
        begun.push(name);
        const end = later<string>();
        ends.push(() => end.resolve(name));
        return end.promise;
      };
      const outcome = queue.do(peer, isWanted, work).catch((error: { code: string }) => error.code);
      outcomes.push(outcome);
    },
    endOne: async () => {
      ends.shift()?.();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}

describe('queue', () => {
  it('are taken by one peer in the order of arrival, by several in turn', async () => {
    const { ask, begun, endOne } = workshop(1);
    for (const name of ['a1', 'a2', 'a3']) ask('a', name);
    ask('b', 'b1');
    for (let count = 0; count < 4; count++) await endOne();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('leave a place for a new peer, however many crowd in', async () => {
    const { ask, begun, endOne, outcomes } = workshop(2);
    for (const peer of ['a', 'b', 'c']) for (let count = 0; count < 100; count++) ask(peer, peer);
    ask('buyer', 'buyer');
    for (let count = 0; count < 8; count++) await endOne();
    expect(begun.indexOf('buyer')).toBeGreaterThan(0);
    expect(begun.indexOf('buyer')).toBeLessThan(7);
    expect(await outcomes[99]).toBe('verification_overloaded');
  });

  it('are not taken by those who have left meanwhile', async () => {
    const { ask, begun, endOne, outcomes } = workshop(1);
    let isThere = true;
    ask('a', 'a1');
    ask('a', 'a2', () => isThere);
    ask('a', 'a3');
    isThere = false;
    await endOne();
    expect(begun).toEqual(['a1', 'a3']);
    expect(await outcomes[1]).toBe('verification_overloaded');
  });

  it('never exceed what is done at once, and all come that are not refused', async () => {
    const step = fc.oneof(
      fc.record({ peer: fc.constantFrom('a', 'b', 'c'), isThere: fc.boolean() }),
      fc.constant('end' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, atOnce) => {
        const { ask, begun, endOne, outcomes } = workshop(atOnce);
        let ended = 0;
        for (const [index, one] of steps.entries()) {
          if (one === 'end') {
            if (ended < begun.length) ended++;
            await endOne();
          } else ask(one.peer, String(index), () => one.isThere);
          expect(begun.length - ended).toBeLessThanOrEqual(atOnce);
        }
        while (ended < begun.length) {
          ended++;
          await endOne();
        }
        const answers = await Promise.all(outcomes);
        expect(answers.filter((answer) => answer !== 'verification_overloaded').toSorted()).toEqual(begun.toSorted());
      }),
    );
  });
});
