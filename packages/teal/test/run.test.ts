import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { varint } from '../src/go/varint.ts';
import { check, decodeProgram, ProgramError, run } from '../src/run.ts';
import { bytes, chainOf, PAYMENT, runHex } from './program.ts';

describe('a program', () => {
  it('passes when it ends with one number that is not zero', () => {
    expect(runHex('0d 8101')).toEqual({ passed: true, cost: 1, stack: [1n], scratch: [] });
    expect(runHex('0d 8105 43').passed).toBe(true);
  });

  it('does not pass when it ends with zero, which is no error', () => {
    expect(runHex('0d 8100')).toEqual({ passed: false, cost: 1, stack: [0n], scratch: [] });
  });

  it('fails when it ends with no, another or more values', () => {
    expect(runHex('0d').error).toMatchObject({ phase: 'run', pc: 1, message: 'stack len is 0 instead of 1' });
    expect(runHex('0d 8101 8102').error).toMatchObject({ pc: 5, message: 'stack len is 2 instead of 1' });
    expect(runHex('0d 800161').error).toMatchObject({ pc: 4, message: 'stack finished with bytes not int' });
  });

  it('says where it failed, with the stack and the slots of that moment', () => {
    const { passed, error, stack, scratch } = runHex('0d 8109 3502 8101 8100 0a');
    expect(passed).toBe(false);
    expect(error).toBeInstanceOf(ProgramError);
    expect(error).toMatchObject({ name: 'ProgramError', phase: 'run', pc: 9, message: '/ 0' });
    expect(stack).toEqual([1n, 0n]);
    expect(scratch).toEqual([0n, 0n, 9n]);
  });

  it.each([
    // pushint 7; pushbytes "abc"; then the opcode
    ['substring 2 1', '8107 8003616263 51 02 01', [7n, 0n]],
    ['extract 4 1', '8107 8003616263 57 04 01', [7n, 0n]],
    ['substring3', '8107 8003616263 8102 8101 52', [7n, 0n]],
    ['extract3', '8107 8003616263 8104 8101 58', [7n, 0n]],
    ['replace2', '8107 800161 800162 5c 01', [7n, bytes('61'), bytes('62')]],
    ['b/', '8107 800161 8000 a2', [7n, bytes('')]],
    ['args', '8107 8105 c3', [7n]],
  ])('leaves the stack as %s does before it fails', (_name, body, left) => {
    const { error, stack } = runHex(`0d ${body}`);
    expect(error?.phase).toBe('run');
    expect(stack).toEqual(left);
  });

  it('is checked as a whole before its first instruction', () => {
    const { error, cost } = runHex('0d 8101 43 ff');
    expect(error).toMatchObject({ phase: 'check', pc: 4, message: 'illegal opcode 0xff' });
    expect(cost).toBe(0);
    expect(check(bytes('0d 8101 43 ff'), { group: PAYMENT, index: 0 })).toMatchObject({ pc: 4 });
    expect(check(bytes('0d 8101'), { group: PAYMENT, index: 0 })).toBeUndefined();
  });

  it.each([
    ['', 'invalid version'],
    ['80', 'invalid version'],
    ['0f8101', 'unsupported version 15'],
    ['0e8101', 'program version 14 greater than max supported version 13'],
  ])('with the bytes "%s" has no version that runs: %s', (hex, message) => {
    const { error } = runHex(hex);
    expect(error?.message).toBe(message);
    expect(error).toMatchObject({ phase: 'check', pc: undefined });
  });

  it('of version 0 is one of version 1, and a padded version is none the less one', () => {
    expect(runHex('00 200101 22').passed).toBe(true);
    expect(runHex('8d00 8101').passed).toBe(true);
    expect(runHex('8d00 00').error?.pc).toBe(2);
  });

  it('below version 2 is refused in a group that rekeys', () => {
    const rekeying = PAYMENT.map(({ txId, transaction }) => ({
      txId,
      transaction: { ...transaction, rekeyTo: new Uint8Array(32).fill(9) },
    }));
    const message = 'program version must be >= 2 for this transaction group, but have version 1';
    expect(runHex('01 200101 22', { group: rekeying }).error).toMatchObject({ pc: undefined, message });
    const zero = message.replace(/1$/, '0');
    expect(runHex('00 200101 22', { group: rekeying }).error).toMatchObject({ pc: undefined, message: zero });
    expect(runHex('02 200101 22', { group: rekeying }).passed).toBe(true);
  });

  it('names the target of a branch that leaves it as a number of 64 bits with sign', () => {
    const offset = fc.oneof(
      fc.bigInt({ min: 2n ** 62n, max: 2n ** 63n - 1n }),
      fc.bigInt({ min: 2n ** 63n - 20n, max: 2n ** 63n - 1n }),
    );
    fc.assert(
      fc.property(offset, (ahead) => {
        const encoded = Uint8Array.from(varint(2n * ahead));
        const end = 2n + BigInt(encoded.length);
        const target = new BigInt64Array([end + ahead])[0];
        const { error } = runHex(`0d 42 ${Buffer.from(encoded).toString('hex')}`);
        expect(error?.message).toBe(`branch target ${target} outside of program`);
      }),
    );
    // b to 2^63 before it
    expect(runHex(`0d 42 ${'ff'.repeat(9)}01`).error?.message).toBe(
      `branch target ${1n - 2n ** 63n} outside of program`,
    );
  });

  it('gives the same result decoded once or each time', () => {
    const decoded = decodeProgram(bytes('0d 3108 8105 12'));
    expect(run(decoded, { group: PAYMENT, index: 0 })).toEqual(runHex('0d 3108 8105 12'));
  });
});

describe('the budget', () => {
  it('of 20,000 for each transaction ends every loop', () => {
    // label: pushint 1; pop; b label
    const { error, cost } = runHex('0d 8101 48 42 05');
    expect(error?.message).toBe('dynamic cost budget exceeded, executing b: local program cost was 20000');
    expect(cost).toBe(20_000);
    const group = Array.from({ length: 16 }, () => PAYMENT).flat();
    expect(runHex('0d 8101 48 42 05', { group }).cost).toBe(320_000);
  });

  it('is shared by the programs of a group, in their order', () => {
    const budget = { remaining: 5 };
    expect(runHex('0d 8101', { budget }).cost).toBe(1);
    expect(budget.remaining).toBe(4);
    // global OpcodeBudget shows what is left after its own cost.
    expect(runHex('0d 320c', { budget }).stack).toEqual([3n]);
  });

  it('holds a program below version 4 to the cost of all its instructions', () => {
    const budget = { remaining: 3 };
    expect(runHex('03 8101 43 8101 48 00', { budget }).error).toMatchObject({
      phase: 'check',
      pc: 7,
      message: 'static cost budget of 3 exceeded',
    });
    expect(runHex('04 8101 43 8101 48 00', { budget }).passed).toBe(true);
  });
});

describe('a trace', () => {
  it('has each step with what it took, put and stored', () => {
    const { trace } = runHex('0d 8102 8103 08 49 3507', { trace: true });
    expect(trace).toEqual([
      { pc: 1, popped: 0, added: [2n] },
      { pc: 3, popped: 0, added: [3n] },
      { pc: 5, popped: 2, added: [5n] },
      { pc: 6, popped: 1, added: [5n, 5n] },
      { pc: 7, popped: 1, added: [], stored: { slot: 7, value: 5n } },
    ]);
  });

  it('ends with the instruction that failed, which put nothing', () => {
    const { trace } = runHex('0d 8101 08', { trace: true });
    expect(trace?.at(-1)).toEqual({ pc: 3, popped: 2, added: [] });
  });

  it('is not there unless it is asked for', () => {
    expect(runHex('0d 8101')).not.toHaveProperty('trace');
  });
});

describe('what a program sees', () => {
  it('are the fields of its transaction', () => {
    expect(runHex('0d 3108').stack).toEqual([5n]);
    expect(runHex('0d 3110').stack).toEqual([1n]);
    expect(runHex('0d 310f 800370617912').stack).toEqual([1n]);
  });

  it('are its arguments, 255 of them at most', () => {
    expect(runHex('0d 2d 17', { args: [bytes('07')] }).stack).toEqual([7n]);
    expect(runHex('0d 2e', { args: [bytes('07')] }).error?.message).toBe('cannot load arg[1] of 1');
    const args = Array.from({ length: 256 }, () => bytes('00'));
    expect(runHex('0d 8101', { args }).error).toMatchObject({ pc: 1, message: 'LogicSig has too many arguments' });
  });

  it('are blocks before its first valid round', () => {
    const environment = chainOf(9n);
    expect(runHex('0d 8109 d101', { environment }).stack).toEqual([9n]);
    expect(runHex('0d 3103', { environment }).stack).toEqual([9n]);
    expect(runHex('0d 810a d101', { environment }).error?.message).toBe(
      "round 10 is not available. It's outside [1-9]",
    );
    expect(runHex('0d 8109 d101', { environment: chainOf(8n) }).error?.message).toBe(
      'ledger does not have entry 9 (latest 8, committed 8)',
    );
  });
});
