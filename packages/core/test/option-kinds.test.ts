import { describe, expect, it } from 'vitest';
import {
  anything,
  count,
  type Kind,
  object,
  objectWith,
  text,
  wholeNumber,
  work,
  wrongOption,
  yesOrNo,
} from '../src/option-kinds.ts';

const VALUES: readonly unknown[] = [null, [], {}, 'text', '', 0, 1, 1.5, -1, Number.NaN, 1n, true, () => 1];

it.each<[string, Kind, readonly unknown[]]>([
  ['anything', anything, VALUES],
  ['text', text, ['text', '']],
  ['yes or no', yesOrNo, [true]],
  ['a function', work, [VALUES.at(-1)]],
  ['an object', object, [{}]],
  ['a whole number', wholeNumber, [0, 1]],
  ['a count', count, [1]],
])('%s takes no other values', (_name, kind, taken) => {
  expect(VALUES.filter((value) => kind.fits(value))).toEqual(taken);
});

it('an object with methods may be of any class', () => {
  expect(objectWith('has', 'get').fits(new Map())).toBe(true);
  expect(objectWith('has', 'get').fits(new Set())).toBe(false);
  expect(objectWith('has').fits(null)).toBe(false);
});

describe('an option is wrong', () => {
  const kinds = { perDay: text, limit: count };

  it.each<[string, object, object]>([
    ['if its name is like another', { perDya: '$1' }, { name: 'perDya', why: 'is unknown (did you mean perDay?)' }],
    ['if its name is like none', { x: 1 }, { name: 'x', why: 'is unknown; there are limit, perDay' }],
    ['if its name is one of every object', { toString: 1 }, { name: 'toString' }],
    ['if its value is of another kind', { limit: '5' }, { name: 'limit', why: 'must be a whole number from 1 up' }],
    ['if it is null', { perDay: null }, { name: 'perDay', why: 'must be a text' }],
  ])('%s', (_case, options, wrong) => expect(wrongOption(options, kinds)).toMatchObject(wrong));

  it('but not if it is undefined, or right', () => {
    expect(wrongOption({ perDay: undefined, limit: 1 }, kinds)).toBeUndefined();
  });
});
