import { describe, expect, test } from 'vitest';
import { consensusParameters, LATEST_CONSENSUS_VERSION } from '../../src/consensus/parameters.ts';
import { transaction, type Transaction } from '../../src/codec/schema/transaction.ts';
import { applicationCallProblem } from '../../src/form/application-call.ts';
import { addressOf, ALICE, testChain, V41 } from '../chain-fixture.ts';

const [UPDATE, CALLED] = [4n, 1001n];
const PROGRAM = Uint8Array.of(12, 0x81, 1);

function problem(call: Partial<Transaction>, version = LATEST_CONSENSUS_VERSION): string | undefined {
  const { genesis } = testChain();
  const context = { ...genesis, parameters: consensusParameters(version) };
  return applicationCallProblem(transaction.of({ type: 'appl', applicationId: CALLED, ...call }), context);
}

/** Arguments of so many bytes in all. */
const argumentsOf = (bytes: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes / 4096) }, (_, index) => new Uint8Array(Math.min(4096, bytes - 4096 * index)));

describe('a call with arguments, pages and sizes', () => {
  test('has 16,384 bytes of arguments at most, and 2,048 before v42', () => {
    const tooLong = (bytes: number, limit: number): string =>
      `tx.ApplicationArgs total length is too long. ${bytes} > ${limit}`;
    expect(problem({ applicationArgs: argumentsOf(16_384) })).toBeUndefined();
    expect(problem({ applicationArgs: argumentsOf(16_385) })).toBe(tooLong(16_385, 16_384));
    expect(problem({ applicationArgs: argumentsOf(2048) }, V41)).toBeUndefined();
    expect(problem({ applicationArgs: argumentsOf(2049) }, V41)).toBe(tooLong(2049, 2048));
  });

  test('has seven extra pages at most, and three before v42', () => {
    const creation = { applicationId: 0n, approvalProgram: PROGRAM, clearStateProgram: PROGRAM };
    const tooMany = (limit: number): string => `tx.ExtraProgramPages exceeds MaxAbsoluteExtraProgramPages = ${limit}`;
    expect(problem({ ...creation, extraProgramPages: 7 })).toBeUndefined();
    expect(problem({ ...creation, extraProgramPages: 8 })).toBe(tooMany(7));
    expect(problem({ ...creation, extraProgramPages: 3 }, V41)).toBeUndefined();
    expect(problem({ ...creation, extraProgramPages: 4 }, V41)).toBe(tooMany(3));
  });

  test('may change sizes with an update since v42, whose programs must fit them', () => {
    const update = { onCompletion: UPDATE, approvalProgram: PROGRAM, clearStateProgram: PROGRAM };
    const globalStateSchema = { uints: 1n, byteSlices: 0n };
    expect(problem({ ...update, globalStateSchema })).toBeUndefined();
    expect(
      problem({
        ...update,
        globalStateSchema,
        onCompletion: 0n,
        approvalProgram: new Uint8Array(),
        clearStateProgram: new Uint8Array(),
      }),
    ).toBe('inappropriate non-zero tx.GlobalStateSchema ({NumUint:1 NumByteSlice:0})');
    expect(problem({ ...update, globalStateSchema }, V41)).toBe(
      'inappropriate non-zero tx.GlobalStateSchema ({NumUint:1 NumByteSlice:0})',
    );
    expect(problem({ ...update, extraProgramPages: 1 }, V41)).toBe('inappropriate non-zero tx.ExtraProgramPages (1)');
    const long = Uint8Array.from({ length: 2049 }, (_, index) => PROGRAM[index] ?? 0x48);
    expect(problem({ ...update, approvalProgram: long, extraProgramPages: 1 })).toBeUndefined();
    expect(problem({ ...update, approvalProgram: long, globalStateSchema })).toBe(
      'approval program too long. (2049 > 2048)',
    );
    expect(problem({ ...update, approvalProgram: long })).toBeUndefined();
  });
});

type Element = NonNullable<Transaction['access']>[number];
const NOTHING: Element = {
  address: new Uint8Array(32),
  asset: 0n,
  application: 0n,
  holding: { address: 0n, asset: 0n },
  locals: { address: 0n, application: 0n },
  box: { index: 0n, name: undefined },
};
const ACCOUNT = { address: addressOf(ALICE) };
const ASSET = { asset: 5n };
const APP = { application: 6n };
const holding = (address: bigint, asset: bigint): Partial<Element> => ({ holding: { address, asset } });
const locals = (address: bigint, application: bigint): Partial<Element> => ({ locals: { address, application } });
const box = (index: bigint, name = 'b'): Partial<Element> => ({ box: { index, name: Buffer.from(name) } });

// The texts are those of a real algod (its recording app-access), but for 0 before v42, which is read from its source.
test.each<[string | undefined, readonly Partial<Element>[], Partial<Transaction>?, string?]>([
  [
    undefined,
    [ACCOUNT, ASSET, APP, holding(1n, 2n), holding(0n, 2n), locals(1n, 3n), locals(1n, 0n), box(3n), box(0n), {}],
  ],
  [undefined, [holding(2n, 3n), ACCOUNT, ASSET]],
  ['tx.Access element has fields from multiple types', [{ ...ACCOUNT, ...ASSET }]],
  ['holding Address reference 1 is not an Address', [holding(1n, 2n), ASSET]],
  ['holding Address reference 3 outside tx.Access', [ASSET, holding(3n, 1n)]],
  ['holding Asset reference 0 outside tx.Access', [ACCOUNT, holding(1n, 0n)]],
  ['holding Asset reference 3 outside tx.Access', [ACCOUNT, holding(1n, 3n)]],
  ['holding Asset reference 1 is not an Asset', [ACCOUNT, holding(1n, 1n)]],
  ['locals Address reference 2 is not an Address', [ACCOUNT, APP, locals(2n, 1n)]],
  ['locals Address reference 9 outside tx.Access', [ACCOUNT, APP, locals(9n, 2n)]],
  ['locals App reference 5 outside tx.Access', [ACCOUNT, APP, locals(1n, 5n)]],
  ['locals App reference 1 is not an App', [ACCOUNT, APP, locals(1n, 1n)]],
  ['box Index reference 1 is not an App', [ACCOUNT, box(1n)]],
  ['box Index 4 outside tx.Access', [ACCOUNT, box(4n)]],
  ['tx.Access box Name too long, max len 64 bytes', [box(0n, 'b'.repeat(65))]],
  [undefined, [box(0n, 'b'.repeat(64))]],
  [
    '0 App in LocalsRef during app create is not allowed or necessary',
    [ACCOUNT, locals(1n, 0n)],
    { applicationId: 0n, approvalProgram: PROGRAM, clearStateProgram: PROGRAM },
  ],
  ['0 App in LocalsRef is not supported', [ACCOUNT, locals(1n, 0n)], {}, V41],
])(
  'an access list is judged element by element: %s',
  (text, elements, call = {}, version = LATEST_CONSENSUS_VERSION) => {
    const access = elements.map((element) => ({ ...NOTHING, ...element }));
    expect(problem({ ...call, access }, version)).toBe(text);
  },
);
