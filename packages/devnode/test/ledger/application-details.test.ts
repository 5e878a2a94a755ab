import { describe, expect, test } from 'vitest';
import { formatAddress } from '@avm402/algorand/address';
import { transaction, type Transaction } from '../../src/codec/schema/transaction.ts';
import { addressOf, BOB } from '../chain-fixture.ts';
import { ApplicationStage, programOf } from './application-stage.ts';

const EMPTY = transaction.zero;
const NOTHING = {
  address: EMPTY.sender,
  asset: 0n,
  application: 0n,
  holding: { address: 0n, asset: 0n },
  locals: { address: 0n, application: 0n },
  box: { index: 0n, name: undefined },
};

const callOf = (id: bigint, ...lines: string[]): string =>
  ['itxn_begin', 'int appl; itxn_field TypeEnum', `int ${id}; itxn_field ApplicationID`, ...lines, 'itxn_submit'].join(
    '\n',
  );

describe('a call that waits for a stranger', () => {
  /** A caller reads a box or not, then calls a stranger, which calls one of the caller's family that writes the box. */
  function write(reads: (owner: bigint, reader: bigint) => string): string | undefined {
    const stage = new ApplicationStage();
    const owner = stage.create('int 1; app_params_set AppFamilyBoxAccess; byte "b"; int 8; box_create; pop');
    const boxes = [{ index: 0n, name: Buffer.from('b') }];
    expect(stage.call(owner, { boxes }).refused).toBeUndefined();
    const writer = stage.create(`int ${owner}; byte "b"; byte "12345678"; app_box_put`);
    const reader = stage.create(`int ${owner}; byte "b"; app_box_len; pop; pop`);
    const stranger = stage.create(callOf(writer), { creator: BOB });
    const caller = stage.create([reads(owner, reader), callOf(stranger)].join('\n'));
    const named = { foreignApps: [owner, writer, reader, stranger], boxes: [{ index: 1n, name: Buffer.from('b') }] };
    return stage.call(caller, named).refused;
  }

  test('may have what it has not seen changed', () => {
    expect(write(() => '')).toBeUndefined();
  });

  test.each([
    ['it has seen itself', (owner: bigint): string => `int ${owner}; byte "b"; app_box_len; pop; pop`],
    ['a call of its family has seen for it', (_: bigint, reader: bigint): string => callOf(reader)],
  ])('relies on a box of its family that %s', (_, reads) => {
    expect(write(reads)).toMatch(
      /may not write family-shared box: app \d+ is relying on family state across a foreign call/,
    );
  });
});

describe('an id up to 255', () => {
  const low = (body: string, fields: object): string | undefined => {
    const stage = new ApplicationStage();
    return stage.call(stage.create(body), fields).refused;
  };
  const bob = `addr ${BOB.address}`;

  test.each([
    [
      'asset that an access list seems to name',
      'int 0; int 0; asset_holding_get AssetBalance; pop; pop',
      'low Asset lookup 0.',
    ],
    [
      'asset of an account that is not available',
      `${bob}; int 0; asset_holding_get AssetBalance; pop; pop`,
      `unavailable Account ${BOB.address}, low Asset lookup 0.`,
    ],
  ])('is no %s', (_, body, text) => {
    const access = [{ ...NOTHING, application: 77n }];
    expect(low(body, { access })).toContain(text);
  });

  test('is no application in which an account could have a state', () => {
    const fields = { foreignApps: [7n] };
    expect(low('int 0; int 7; app_opted_in; pop', fields)).toContain('low App lookup 7.');
    const stage = new ApplicationStage();
    const text = `unavailable Account ${BOB.address}, low App lookup 7, unavailable Local State 7+${BOB.address}.`;
    expect(stage.call(stage.create(`${bob}; int 7; app_opted_in; pop`), fields).refused).toContain(text);
  });
});

describe('the inner transactions of a program', () => {
  const pay = (amount: number): string =>
    ['int pay; itxn_field TypeEnum', `int ${amount}; itxn_field Amount`, 'txn Sender; itxn_field Receiver'].join('\n');
  const three = ['itxn_begin', pay(1), 'itxn_next', pay(2), 'itxn_next', pay(3), 'itxn_submit'].join('\n');
  const logs = (body: string): readonly string[] => {
    const stage = new ApplicationStage();
    return stage.call(stage.create(body)).logs;
  };
  const log = (...opcodes: string[]): string => opcodes.map((opcode) => `${opcode}; log`).join('\n');

  test('have ids by their place, but `itxn TxID` is of the last one as if it were in the first place', () => {
    const [first, second, third] = logs(`${three}\n${log('gitxn 0 TxID', 'gitxn 1 TxID', 'gitxn 2 TxID')}`);
    expect(new Set([first, second, third]).size).toBe(3);
    const [last] = logs(`${three}\n${log('itxn TxID')}`);
    expect([first, second, third]).not.toContain(last);
    expect(last).toHaveLength(64);
  });

  test('keep the id that was read for a place until the next ones are submitted', () => {
    const [group, last] = logs(`${three}\n${log('gitxn 0 TxID', 'itxn TxID')}`);
    expect(last).toBe(group);
    const [one, same, later] = logs(
      [three, log('itxn TxID', 'gitxn 0 TxID'), 'itxn_begin', pay(3), 'itxn_submit', log('itxn TxID')].join('\n'),
    );
    expect(same).toBe(one);
    expect(later).not.toBe(one);
  });

  const refusal = (body: string, version = 13, fields: Partial<Transaction> = {}): string | undefined => {
    const stage = new ApplicationStage();
    return stage.call(stage.create(body, { version }), fields).refused;
  };

  test('have a place that version 5 can’t read, if there are any', () => {
    const one = ['itxn_begin', pay(1), 'itxn_submit'].join('\n');
    expect(refusal(`${one}\nitxn GroupIndex; pop`, 5)).toContain('illegal field for inner transaction GroupIndex');
    expect(refusal('itxn GroupIndex; pop', 5)).toContain('txn index 0, len(group) is 0');
  });

  test('have a type in bytes, each of which stands alone in a message', () => {
    expect(refusal('itxn_begin; byte 0xe282; itxn_field Type')).toContain(
      'logic eval error: \udce2\udc82 is not a valid Type for itxn_field',
    );
  });

  test('have no program if they call none, not even an empty one', () => {
    const empty = (field: string): string =>
      ['itxn_begin', pay(0), `byte 0x; itxn_field ${field}`, 'itxn_submit'].join('\n');
    const text = 'transaction of type pay has non-zero fields for type appl';
    expect(refusal(empty('ApprovalProgram'))).toContain(text);
    expect(refusal(empty('ClearStateProgram'))).toContain(text);
    expect(refusal(empty('ApprovalProgramPages'))).toBeUndefined();
    expect(refusal(empty('ApprovalProgram').replace('byte 0x', 'int 7'))).toBeUndefined();
  });

  test('leave their value on the stack where a field is refused before it is looked at', () => {
    const stack = (body: string): unknown => {
      const stage = new ApplicationStage();
      const states = stage.call(stage.create(body)).data?.['eval-states'];
      return Array.isArray(states) ? states.at(-1) : states;
    };
    expect(stack('int 5; itxn_field Fee')).toEqual({ stack: [5n] });
    expect(stack('itxn_begin; int 5; itxn_field Receiver')).toEqual({});
  });

  test('may not show a callee before version 9 the state of the zero address that the group shares', () => {
    const stage = new ApplicationStage();
    const callee = stage.create('', { version: 8 });
    const caller = stage.create(callOf(callee, 'global ZeroAddress; itxn_field Accounts'));
    const zero = formatAddress(new Uint8Array(32));
    const text = `appl ApplicationID: unavailable Local State ${callee}+${zero} would be accessible`;
    const fields = { foreignApps: [callee] };
    expect(stage.callBesides({ receiver: new Uint8Array(32), amount: 0n }, caller, fields).refused).toContain(text);
  });
});

test('version 5 reads no effects of its group, and of what is not over it says so', () => {
  const refused = (body: string): string | undefined => {
    const stage = new ApplicationStage();
    const id = stage.create(body, { version: 5 });
    return stage.callBesides({ receiver: EMPTY.sender, amount: 0n }, id).refused;
  };
  expect(refused('gtxn 0 NumLogs; pop')).toContain('Unable to obtain effects from top-level transactions');
  expect(refused('txn NumLogs; pop')).toContain('txn effects can only be read from past txns 1 1');
  expect(refused('gtxna 5 Logs 0; pop')).toContain('txn effects can only be read from past txns 5 1');
});

describe('an explicitly empty access list', () => {
  const refused = (body: string, fields: Partial<Transaction>): string | undefined => {
    const stage = new ApplicationStage();
    return stage.call(stage.create(body), { access: [], ...fields }).refused;
  };

  test('is the list that numbers of accounts count in', () => {
    expect(refused('int 1; balance; pop', { accounts: [addressOf(BOB)] })).toContain(
      'invalid Account reference 1 exceeds length of tx.Access 0',
    );
    expect(refused(`addr ${BOB.address}; balance; pop`, { accounts: [addressOf(BOB)] })).toBeUndefined();
  });

  test('shares no pairs of what the other lists name', () => {
    const body = `addr ${BOB.address}; int 777; asset_holding_get AssetBalance; pop; pop`;
    const fields = { accounts: [addressOf(BOB)], foreignAssets: [777n] };
    expect(refused(body, { ...fields, access: undefined })).toBeUndefined();
    expect(refused(body, fields)).toContain(`unavailable Holding 777+${BOB.address}`);
  });
});

describe('a reference without a name', () => {
  /** Creates an application whose program creates a box that only the given reference can allow. */
  const refused = (name: Uint8Array | undefined, list: 'boxes' | 'access'): string | undefined => {
    const stage = new ApplicationStage();
    const fields =
      list === 'boxes' ? { boxes: [{ index: 0n, name }] } : { access: [{ ...NOTHING, box: { index: 0n, name } }] };
    const callee =
      'itxn_begin; int appl; itxn_field TypeEnum; byte 0x0d8101; dup; itxn_field ApprovalProgram; itxn_field ClearStateProgram; itxn_submit';
    const body = `${callee}\nint 1; app_params_set AppFamilyBoxAccess`;
    const id = stage.create(`${body}\nitxn CreatedApplicationID; byte "b"; app_box_len; pop; pop`);
    return stage.call(id, fields).refused;
  };
  const [allowed, unavailable] = ['may not read box of', 'invalid Box reference 0x62'];

  test.each(['boxes', 'access'] as const)(
    'stands for a box of a new application, in %s, unless it is written',
    (list) => {
      expect(refused(undefined, list)).toContain(allowed);
      expect(refused(new Uint8Array(0), list)).toContain(unavailable);
    },
  );
});

describe('programs beyond the free bytes', () => {
  const approvalProgram = Uint8Array.from({ length: 8200 }, (_, index) => [13, 0x81, 1, 0x43][index] ?? 0);
  const large = { approvalProgram, clearStateProgram: programOf('int 1'), extraProgramPages: 5 };
  const refused = (onCompletion: bigint): string | undefined =>
    new ApplicationStage().creation({ ...large, onCompletion }).refused;

  test('are created or, by a creation that updates what it has created, updated', () => {
    expect(refused(0n)).toContain('while creating app 1001');
    expect(refused(4n)).toContain('while updating app 1001');
    expect(refused(5n)).toBeUndefined();
  });
});

test('a failed part of bytes leaves the integer on the stack that was in their place before, if there was one', () => {
  const stack = (body: string): unknown => {
    const stage = new ApplicationStage();
    const states = stage.call(stage.create(body)).data?.['eval-states'];
    return Array.isArray(states) ? states.at(-1) : states;
  };
  expect(stack('byte "abc"; extract 9 1')).toEqual({ stack: [0n] });
  expect(stack('int 7; itob; extract 9 1')).toEqual({ stack: [7n] });
  expect(stack('int 7; itob; store 1; int 8; itob; load 1; int 9; int 1; extract3')).toEqual({
    scratch: [0n, 'AAAAAAAAAAc='],
    stack: ['AAAAAAAAAAg=', 7n],
  });
  expect(stack('int 5; itob; byte "x"; concat; extract 2 2; substring 1 3')).toEqual({ stack: [5n] });
  expect(stack('byte "x"; int 5; itob; concat; substring 1 30')).toEqual({ stack: [0n] });
  expect(stack('int 3; bzero; extract 9 1')).toEqual({ stack: [3n] });
});

test('a creation that names a box of application 0 names none of its own', () => {
  const refused = (index: bigint): string | undefined =>
    new ApplicationStage().creation({
      approvalProgram: programOf('byte "b"; box_len; pop; pop; int 1'),
      clearStateProgram: programOf('int 1'),
      foreignApps: [0n],
      boxes: [{ index, name: Buffer.from('b') }],
    }).refused;
  expect(refused(0n)).toBeUndefined();
  expect(refused(1n)).toContain('invalid Box reference 0x62');
});
