import { ZERO_ADDRESS } from '@avm402/algorand/address';
import { encodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import { expect, it } from 'vitest';
import { membersOf } from '../src/payments/sent-group.ts';

it('a member from the address of zeros, which a stranger may send, has a sender to show', () => {
  const fields: [string, MsgpackValue][] = [
    ['fv', 1n],
    ['gh', new Uint8Array(32).fill(1)],
    ['lv', 2n],
    ['type', 'pay'],
  ];
  expect(membersOf([encodeMsgpack(new Map(fields))])).toMatchObject([{ signed: { txn: { snd: ZERO_ADDRESS } } }]);
});
