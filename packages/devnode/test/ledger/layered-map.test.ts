import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayeredMap } from '../../src/ledger/layered-map.ts';

const KEYS = ['a', 'b', 'c', 'd'];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ key: fc.constantFrom(...KEYS), value: fc.option(fc.nat(9), { nil: undefined }) }),
  },
  { weight: 1, arbitrary: fc.constant('mark' as const) },
  { weight: 1, arbitrary: fc.record({ back: fc.nat(5) }) },
);

test('a mark brings back exactly the values of its time, again and again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new LayeredMap<string, number>();
      let expected = new Map<string, number>();
      let marks: { putBack: () => void; values: Map<string, number> }[] = [];
      for (const each of steps) {
        if (each === 'mark') marks.push({ putBack: map.mark(), values: new Map(expected) });
        else if ('key' in each) {
          map.set(each.key, each.value);
          if (each.value === undefined) expected.delete(each.key);
          else expected.set(each.key, each.value);
        } else if (marks.length > 0) {
          const index = each.back % marks.length;
          marks[index]?.putBack();
          expected = new Map(marks[index]?.values);
          marks = marks.slice(0, index + 1);
        }
        for (const key of KEYS) expect(map.get(key)).toBe(expected.get(key));
      }
    }),
  );
});
