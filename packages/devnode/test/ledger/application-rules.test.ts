import { describe, expect, test } from 'vitest';
import { applicationAddress } from '@avm402/teal/application';
import { assemble } from '@avm402/teal/assemble';
import { consensusParameters, LATEST_CONSENSUS_VERSION } from '../../src/consensus/parameters.ts';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import { groupMember } from '../../src/transaction/member.ts';
import { ALICE, sign, testChain, unsigned, V41 } from '../chain-fixture.ts';

const V42 = LATEST_CONSENSUS_VERSION;

/** Why an application with this program can't be created under the rules of a version, if it can't. */
function problem(body: string, consensus: string, version = 12): string | undefined {
  const chain = testChain(consensusParameters(consensus));
  const programOf = (lines: string): Uint8Array => assemble(`#pragma version ${version}\n${lines}\npushint 1`).program;
  const creation: Partial<Transaction> = {
    type: 'appl',
    approvalProgram: programOf(body),
    clearStateProgram: programOf(''),
  };
  const added = chain.startBlock().add([groupMember(sign(ALICE, unsigned(ALICE, chain.context, creation)))]);
  return typeof added === 'object' ? added.message : undefined;
}

const inner = (...lines: string[]): string => ['itxn_begin', ...lines].join('\n');
const bytes = (length: number, field: string): string[] => [`pushint ${length}`, 'bzero', `itxn_field ${field}`];

describe('what an application may set in an inner transaction', () => {
  test.each([
    [
      '1,024 bytes of note',
      inner(...bytes(1024, 'Note')),
      inner(...bytes(1025, 'Note')),
      'Note may not exceed 1024 bytes',
    ],
    [
      '2,048 bytes of arguments',
      inner(...bytes(2000, 'ApplicationArgs'), ...bytes(48, 'ApplicationArgs')),
      inner(...bytes(2000, 'ApplicationArgs'), ...bytes(49, 'ApplicationArgs')),
      'total application args length too long',
    ],
    [
      '8,192 bytes of a program',
      inner(...bytes(4096, 'ApprovalProgramPages'), ...bytes(4096, 'ApprovalProgramPages')),
      inner(
        ...bytes(4096, 'ClearStateProgramPages'),
        ...bytes(4096, 'ClearStateProgramPages'),
        ...bytes(1, 'ClearStateProgramPages'),
      ),
      'ClearStateProgramPages may not exceed 8192 bytes',
    ],
    [
      'three extra pages',
      inner('pushint 3', 'itxn_field ExtraProgramPages'),
      inner('pushint 4', 'itxn_field ExtraProgramPages'),
      '4 is larger than max=3',
    ],
  ])('before v42 is %s at most, and more since', (_, most, more, text) => {
    expect(problem(most, V41)).toBeUndefined();
    expect(problem(more, V41)).toContain(text);
    expect(problem(more, V42)).toBeUndefined();
  });
});

test('programs of version 13 run since v42', () => {
  expect(problem('', V41, 13)).toContain('program version 13 greater than protocol supported version 12');
  expect(problem('', V42, 13)).toBeUndefined();
});

test('a box that was made smaller is kept without the bytes that were cut off', () => {
  const chain = testChain(consensusParameters(V42));
  const block = chain.startBlock();
  const add = (fields: Partial<Transaction>): unknown =>
    block.add([groupMember(sign(ALICE, unsigned(ALICE, chain.context, fields)))]);
  const body =
    'txn ApplicationID; bz made; byte "b"; int 2000; box_create; pop; byte "b"; int 3; box_resize; made: int 1';
  const { program: approvalProgram } = assemble(`#pragma version 10\n${body}`);
  const { program: clearStateProgram } = assemble('#pragma version 10\nint 1');
  const boxes = [{ index: 0n, name: Buffer.from('b') }];
  const added = [
    add({ type: 'appl', approvalProgram, clearStateProgram }),
    add({ receiver: applicationAddress(1001n), amount: 1_000_000n }),
    add({ type: 'appl', applicationId: 1001n, boxes }),
  ];
  const content = block.state.box(1001n, 'b');
  expect({ added, size: content?.length, kept: content?.buffer.byteLength }).toEqual({
    added: ['added', 'added', 'added'],
    size: 3,
    kept: 3,
  });
});
