import { decodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { decodeMsgpack, encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeTransaction } from '@avm402/algorand/transaction';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { describe, expect, it } from 'vitest';
import {
  feePayment,
  grouped,
  lonePayment,
  merchant,
  payer,
  payloadOf,
  reasonFor,
  requirements,
  transfer,
  unsponsored,
} from './payment-fixture.ts';

const random32 = new Uint8Array(32).fill(9);

describe('a group is refused', () => {
  const [fee, axfer] = grouped(feePayment, transfer);
  const signed = payer.signTransaction(axfer);

  it('whose payment is no asset transfer', () => {
    const pay = payer.signTransaction({ ...feePayment, sender: payer.address, receiver: merchant.address });
    expect(reasonFor(payloadOf([pay], unsponsored), unsponsored)).toBe('invalid_exact_avm_not_asset_transfer');
    expect(reasonFor(payloadOf([encodeTransaction(fee), signed], requirements, 0))).toBe(
      'invalid_exact_avm_not_asset_transfer',
    );
  });

  it('of another shape: payment first, two transfers, riders, fifteen fee payers', () => {
    const swapped = assignGroup([transfer, feePayment]);
    const first = payer.signTransaction(swapped[0] ?? transfer);
    const shapes = [
      payloadOf([first, encodeTransaction(swapped[1] ?? fee)], requirements, 0),
      payloadOf([signed, signed]),
      payloadOf([encodeTransaction(fee), signed, signed]),
      payloadOf([...Array.from({ length: 15 }, () => encodeTransaction(fee)), signed]),
    ];
    for (const payload of shapes) expect(reasonFor(payload)).toBe('invalid_exact_avm_group_shape');
  });

  it('with a rider behind the payment', () => {
    const [first, second, third] = assignGroup([feePayment, transfer, { ...transfer, note: random32 }]);
    const members = [second, third].map((txn) => payer.signTransaction(txn ?? transfer));
    const group = [encodeTransaction(first ?? fee), ...members];
    expect(reasonFor(payloadOf(group, requirements, 1))).toBe('invalid_exact_avm_group_shape');
  });

  it('whose second member names another group than the first', () => {
    const other = payer.signTransaction({ ...axfer, group: random32 });
    expect(reasonFor(payloadOf([encodeTransaction(fee), other]))).toBe('invalid_exact_avm_invalid_group_id');
  });

  it('without a common group id', () => {
    const { group: _, ...ungrouped } = fee;
    expect(reasonFor(payloadOf([encodeTransaction(ungrouped), signed]))).toBe('invalid_exact_avm_invalid_group_id');
    expect(reasonFor(sponsoredPaymentWithoutGroup())).toBe('invalid_exact_avm_invalid_group_id');
  });

  it('whose common id is not its own hash', () => {
    const group = random32;
    const payload = payloadOf([encodeTransaction({ ...fee, group }), payer.signTransaction({ ...axfer, group })]);
    expect(reasonFor(payload)).toBe('invalid_exact_avm_group_id_mismatch');
  });

  function sponsoredPaymentWithoutGroup(): PaymentPayload {
    return payloadOf([encodeTransaction(feePayment), payer.signTransaction(transfer)]);
  }
});

describe('a payload is refused', () => {
  const good = lonePayment();
  const [member] = good.payload['paymentGroup'] as [string];

  it.each([
    ['nothing', {}, 'invalid_exact_avm_payload'],
    ['no list', { paymentGroup: member, paymentIndex: 0 }, 'invalid_exact_avm_payload'],
    ['an index as text', { paymentGroup: [member], paymentIndex: '0' }, 'invalid_exact_avm_payload'],
    ['an empty group', { paymentGroup: [], paymentIndex: 0 }, 'invalid_exact_avm_group_size_exceeded'],
    ['17 members', { paymentGroup: Array(17).fill(member), paymentIndex: 0 }, 'invalid_exact_avm_group_size_exceeded'],
    ['a negative index', { paymentGroup: [member], paymentIndex: -1 }, 'invalid_exact_avm_payment_index'],
    ['an index beyond the group', { paymentGroup: [member], paymentIndex: 1 }, 'invalid_exact_avm_payment_index'],
    ['a broken index', { paymentGroup: [member], paymentIndex: 0.5 }, 'invalid_exact_avm_payment_index'],
    ['a member that is no text', { paymentGroup: [1], paymentIndex: 0 }, 'invalid_exact_avm_payload'],
    ['a huge member', { paymentGroup: ['A'.repeat(16_388)], paymentIndex: 0 }, 'invalid_exact_avm_payload'],
    [
      'a member that is no base64',
      { paymentGroup: ['%%%%'], paymentIndex: 0 },
      'invalid_exact_avm_invalid_transaction',
    ],
    [
      'a member that is no msgpack',
      { paymentGroup: ['wcHB'], paymentIndex: 0 },
      'invalid_exact_avm_invalid_transaction',
    ],
    ['an empty member', { paymentGroup: [''], paymentIndex: 0 }, 'invalid_exact_avm_invalid_transaction'],
  ] as const)('of %s', (_, payload, reason) => {
    expect(reasonFor({ ...good, payload }, unsponsored)).toBe(reason);
  });

  it('with a field that no transaction has, outside or inside', () => {
    const bytes = decodeBase64(member) ?? new Uint8Array();
    const outside = decodeMsgpack(bytes) as Map<string, unknown>;
    const inside = decodeMsgpack(bytes) as Map<string, Map<string, unknown>>;
    outside.set('zzz', 1n);
    inside.get('txn')?.set('zzz', 1n);
    for (const map of [outside, inside]) {
      const payload = payloadOf([encodeMsgpack(map as never)], unsponsored);
      expect(reasonFor(payload, unsponsored)).toBe('invalid_exact_avm_unknown_field');
    }
  });

  it('whose bytes are not the canonical ones', () => {
    const bytes = decodeBase64(member) ?? new Uint8Array();
    const map = decodeMsgpack(bytes) as Map<string, Map<string, unknown>>;
    // A zero value written out: the same transaction to algod's lenient reader, other bytes.
    map.get('txn')?.set('note', new Uint8Array());
    const payload = payloadOf([encodeMsgpack(map as never)], unsponsored);
    expect(reasonFor(payload, unsponsored)).toBe('invalid_exact_avm_not_canonical');
  });
});
