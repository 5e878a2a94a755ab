import { X402Error } from '@avm402/core/errors';
import { concatBytes } from '@noble/hashes/utils.js';
import { type GroupMember, parseGroupMembers } from '../wire/group-member.ts';
import { hexDigest } from '../wire/hex-digest.ts';

/** The scheme's part of a PaymentPayload, decoded from `{ paymentGroup, paymentIndex }`. */
export interface PaymentGroup {
  readonly members: readonly GroupMember[];
  /** The member that pays the seller. */
  readonly payment: GroupMember;
  /** Hex SHA-256 over the members' bytes, each preceded by its length: equal digests mean equal bytes. */
  readonly digest: string;
}

/**
 * Decodes the scheme's payload. Members are base64 of canonical msgpack: a signed transaction, a bare transaction, or
 * `{ txn }` without a signature (scheme_exact_algo.md).
 * @throws X402Error `invalid_exact_avm_payload`, `_group_size_exceeded`, `_payment_index`, `_invalid_transaction`,
 * `_unknown_field`, `_not_canonical`
 */
export function parsePaymentGroup(payload: Readonly<Record<string, unknown>>): PaymentGroup {
  const { paymentGroup, paymentIndex } = payload;
  if (!Array.isArray(paymentGroup) || typeof paymentIndex !== 'number') {
    throw new X402Error('invalid_exact_avm_payload', {
      message: 'the payload must be { paymentGroup: base64[], paymentIndex: number }',
    });
  }
  const members = parseGroupMembers(
    paymentGroup,
    (reason, message, cause) => new X402Error(`invalid_exact_avm_${reason}`, { message, cause }),
  );
  const payment = Number.isInteger(paymentIndex) ? members[paymentIndex] : undefined;
  if (payment === undefined) {
    throw new X402Error('invalid_exact_avm_payment_index', {
      message: `paymentIndex ${paymentIndex} names none of the ${members.length} transactions`,
    });
  }
  return { members, payment, digest: groupDigest(members) };
}

function groupDigest(members: readonly GroupMember[]): string {
  const parts = members.flatMap(({ bytes }) => [uint32(bytes.length), bytes]);
  return hexDigest(concatBytes(...parts));
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
