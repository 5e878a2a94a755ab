import { expect, test } from 'vitest';
import { AlgorandError, isAlgorandError } from '../src/errors.ts';

test('an error has its code, message, cause and details', () => {
  const cause = new TypeError('below');
  const error = new AlgorandError('algod_refused', 'algod said no', { cause, status: 400, reason: 'no', field: 'amt' });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'AlgorandError',
    code: 'algod_refused',
    message: 'algod said no',
    cause,
    status: 400,
    reason: 'no',
    field: 'amt',
  });
  expect(Object.keys(new AlgorandError('invalid_key', 'x')).toSorted()).toEqual(['code', 'name']);
});

test('an error is recognised by its brand and code, also one of another copy of the package', () => {
  const error = new AlgorandError('invalid_key', 'x');
  expect(isAlgorandError(error)).toBe(true);
  expect(isAlgorandError(error, 'invalid_key')).toBe(true);
  expect(isAlgorandError(error, 'invalid_address')).toBe(false);
  const ofAnotherCopy = Object.assign(new Error('x'), {
    [Symbol.for('@avm402/algorand/error')]: true,
    code: 'invalid_key',
  });
  expect(isAlgorandError(ofAnotherCopy, 'invalid_key')).toBe(true);
});

test.each([new Error('x'), { code: 'invalid_key' }, null, undefined, 'invalid_key', 1])(
  '%j is no AlgorandError',
  (value) => {
    expect(isAlgorandError(value)).toBe(false);
  },
);
