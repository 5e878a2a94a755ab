import { describe, expect, it } from 'vitest';
import { applicationGroup, byteKey, type ApplicationGroup } from '../src/application.ts';
import { assemble } from '../src/assembler/assemble.ts';
import { BLANK_TRANSACTION, type TransactionFields } from '../src/machine/group-transaction.ts';
import { applicationOf, MemoryLedger } from '../src/memory-ledger.ts';
import { EMPTY_ENVIRONMENT } from '../src/run.ts';

const SENDER = new Uint8Array(32).fill(1);
const STRANGER = new Uint8Array(32).fill(2);
const SCHEMA = { uints: 1n, byteSlices: 1n };

/** A group of calls, one for each source; application 1001 has the first program, and so on. */
function groupOf(sources: readonly string[], fields: Partial<TransactionFields> = {}): ApplicationGroup {
  const ledger = new MemoryLedger({ round: 5n, timestamp: 77n });
  const members = sources.map((source, index) => {
    const { program } = assemble(source);
    ledger.add(1001n + BigInt(index), applicationOf(SENDER, program, SCHEMA));
    const given = { type: 'appl', sender: SENDER, applicationId: 1001n + BigInt(index), ...fields };
    return { txId: new Uint8Array(32).fill(index), transaction: { ...BLANK_TRANSACTION, ...given }, effects: {} };
  });
  ledger.balances.set(byteKey(STRANGER), 9n);
  const options = { members, ledger, environment: EMPTY_ENVIRONMENT, credit: 0n, residue: 0n };
  return applicationGroup(options);
}

/** Runs one member; gives `passed`, `rejected` or the error's first words. */
function call(group: ApplicationGroup, index = 0, kind: 'approval' | 'clear-state' = 'approval'): string {
  const applicationId = 1001n + BigInt(index);
  const program = group.shared.ledger.application(applicationId)?.approvalProgram ?? new Uint8Array();
  const outcome = group.run({ index, applicationId, program, kind });
  return 'failure' in outcome ? outcome.failure.message : outcome.status;
}

describe('calls of a group', () => {
  it('share one budget', () => {
    const loop = '#pragma version 8\nint 250; a: int 1; -; dup; bnz a; !';
    expect(call(groupOf([loop]))).toMatch(
      /^logic eval error: dynamic cost budget exceeded, executing \S+: local program/,
    );
    expect(call(groupOf([loop, '#pragma version 8\nint 1']))).toBe('passed');
  });

  it('see the scratch slots that an earlier one has left', () => {
    const group = groupOf(['#pragma version 8\nint 9; store 3; int 1', '#pragma version 8\ngload 0 3; int 9; ==']);
    expect([call(group, 0), call(group, 1)]).toEqual(['passed', 'passed']);
    expect(call(groupOf(['#pragma version 8\ngload 0 3']))).toContain("can't use gload on self, use load instead");
  });

  it('look at what any member names from version 9 on', () => {
    const balance = (version: number): string =>
      `#pragma version ${version}\nbyte 0x${'02'.repeat(32)}; balance; int 9; ==`;
    const outcomes = [8, 9].map((version) => {
      const group = groupOf([balance(version), '#pragma version 9\nint 1'], {});
      const [first, second] = group.members;
      if (first === undefined || second === undefined) throw new Error('two members');
      const named = { ...second, transaction: { ...second.transaction, accounts: [STRANGER] } };
      const { ledger } = group.shared;
      const members = [first, named];
      return call(applicationGroup({ members, ledger, environment: EMPTY_ENVIRONMENT, credit: 0n, residue: 0n }));
    });
    expect(outcomes[0]).toMatch(/^logic eval error: unavailable Account AIBAEAQ\w+\. Details: app=1001, pc=35$/);
    expect(outcomes[1]).toBe('passed');
  });
});

describe('a box', () => {
  /** Runs a program twice as two groups; gives the outcomes and how many contents and buffers the ledger was given. */
  function contentsOf(body: string): {
    readonly outcomes: readonly string[];
    readonly contents: number;
    readonly buffers: number;
  } {
    const group = groupOf([`#pragma version 10\n${body}`], { boxes: [{ index: 0n, name: Buffer.from('b') }] });
    const { members } = group;
    const { ledger } = group.shared;
    const contents = new Set<Uint8Array>();
    const setBox = ledger.setBox.bind(ledger);
    ledger.setBox = (id, name, content) => {
      if (content !== undefined) contents.add(content);
      setBox(id, name, content);
    };
    const again = applicationGroup({ members, ledger, environment: EMPTY_ENVIRONMENT, credit: 0n, residue: 0n });
    const outcomes = [call(group), call(again)];
    return { outcomes, contents: contents.size, buffers: new Set(Array.from(contents, ({ buffer }) => buffer)).size };
  }
  const create = 'byte "b"; int 9; box_create; pop';

  it('is copied once by each group that writes it, however often', () => {
    const replace = 'byte "b"; int 1; byte "x"; box_replace';
    const splice = 'byte "b"; int 1; int 0; byte "y"; box_splice';
    const { outcomes, contents } = contentsOf([create, replace, splice, replace, splice, 'int 1'].join('; '));
    expect({ outcomes, contents }).toEqual({ outcomes: ['passed', 'passed'], contents: 2 });
  });

  it('that a program has read or put changes without the value that the program holds', () => {
    const value = 'byte 0x010203040506070809; dup';
    const put = `${value}; byte "b"; swap; box_put`;
    const get = 'byte "b"; box_get; assert';
    const replace = 'byte "b"; int 0; byte "x"; box_replace';
    const unchanged = 'byte 0x010203040506070809; ==; assert';
    const restore = 'byte "b"; int 0; byte 0x01; box_replace';
    const read = [get, replace, unchanged, restore].join('; ');
    expect(contentsOf([create, put, read, read, unchanged, 'int 1'].join('; ')).outcomes).toEqual(['passed', 'passed']);
  });

  it('that shrinks and grows again has zeros where it was cut, in the same buffer', () => {
    const put = 'byte "b"; int 0; byte 0x010203040506070809; box_replace';
    const resize = (size: number): string => `byte "b"; int ${size}; box_resize`;
    const same = 'byte "b"; box_get; assert; byte 0x010200000000000000; ==';
    const { outcomes, buffers } = contentsOf([create, put, resize(2), resize(5), resize(9), same].join('; '));
    expect({ outcomes, buffers }).toEqual({ outcomes: ['passed', 'passed'], buffers: 2 });
  });

  it.each([
    ['a range by less', 'int 1; int 3; byte "x"', '017805060708090000'],
    ['a range by more', 'int 1; int 1; byte "xyz"', '0178797a0304050607'],
    ['everything', 'int 0; int 9; byte ""', '000000000000000000'],
    ['nothing at the end', 'int 8; int 0; byte "x"', '010203040506070878'],
  ])('of which a splice replaces %s keeps its size', (_, args, after) => {
    const put = 'byte "b"; int 0; byte 0x010203040506070809; box_replace';
    const splice = `byte "b"; ${args}; box_splice`;
    const same = `byte "b"; box_get; assert; byte 0x${after}; ==`;
    expect(contentsOf([create, put, splice, same].join('; ')).outcomes).toEqual(['passed', 'passed']);
  });
});

describe('a clear state program', () => {
  it('has a budget of its own, makes no inner transactions, and leaves nothing if it fails', () => {
    const budget = groupOf(['#pragma version 8\nglobal OpcodeBudget; int 699; ==', '#pragma version 8\nint 1']);
    expect(call(budget, 0, 'clear-state')).toBe('passed');
    const inner = groupOf(['#pragma version 8\nbyte "x"; log; itxn_begin']);
    expect(call(inner, 0, 'clear-state')).toContain('clear state programs can not issue inner transactions');
    expect(inner.members[0]?.effects.program).toBeUndefined();
  });

  it('does not start with less than its budget', () => {
    const group = groupOf(['#pragma version 8\nint 1']);
    group.shared.budget.remaining = 699;
    expect(call(group, 0, 'clear-state')).toBe('attempted ClearState execution with low OpcodeBudget 699');
  });
});

describe('a program', () => {
  it.each([
    ['int 1', 1, 'program version must be >= 2 for this transaction group, but have version 1'],
    ['int 1', 2, undefined],
    [
      'byte "x"; keccak256; keccak256; keccak256; keccak256; keccak256; keccak256',
      2,
      'pc= 12 static cost budget of 700 exceeded',
    ],
  ])('is checked before an application may have it: %s in version %i', (source, version, problem) => {
    const { program } = assemble(`#pragma version ${version}\n${source}`);
    expect(groupOf(['#pragma version 8\nint 1']).check(0, program)).toBe(problem);
  });

  it('of a version that does not exist is refused by its number', () => {
    const group = groupOf(['#pragma version 8\nint 1']);
    expect(group.check(0, Uint8Array.of(14, 0x43))).toContain('greater than protocol supported version 13');
    expect(group.check(0, Uint8Array.of(15, 0x43))).toContain('greater than max supported version 14');
  });

  it('can’t be called again by a call below it', () => {
    const source = (id: number): string =>
      `#pragma version 9\nitxn_begin; int appl; itxn_field TypeEnum; int ${id}; itxn_field ApplicationID; itxn_submit; int 1`;
    const alone = groupOf([source(1001)]);
    const two = groupOf([source(1002), source(1001)]);
    for (const { shared } of [alone, two]) shared.fees.credit = 9000n;
    expect(call(alone)).toContain('attempt to self-call');
    expect(call(two)).toMatch(
      /^logic eval error: inner tx 0 failed: logic eval error: attempt to re-enter 1001\. Details: app=1002/,
    );
  });
});
