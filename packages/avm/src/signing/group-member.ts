import { decodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { MAX_GROUP_SIZE } from '@avm402/algorand/group';
import { type DecodedMember, decodeMember } from '@avm402/algorand/signed-transaction';
import { X402Error, type X402ErrorCode } from '@avm402/core/errors';

/**
 * The most base64 characters of one member. A payment signed by a 16-key multisig with a full note needs about 5,000.
 */
const MAX_MEMBER_CHARACTERS = 16_384;

/** The most characters of a reason, which may quote what was sent, e.g. an unknown key. */
const MAX_REASON_CHARACTERS = 200;

/** One member of a payment group. A bare, unsigned transaction has no authorization. */
export interface GroupMember extends DecodedMember {
  /** Exactly as sent. */
  readonly bytes: Uint8Array;
}

/**
 * Decodes the members of a group, each base64 of canonical msgpack.
 * @throws X402Error `invalid_exact_avm_payload`, `_group_size_exceeded`, `_invalid_transaction`, `_unknown_field`,
 * `_not_canonical`
 */
export function parseGroupMembers(group: readonly unknown[]): GroupMember[] {
  if (group.length === 0 || group.length > MAX_GROUP_SIZE) {
    throw new X402Error('invalid_exact_avm_group_size_exceeded', {
      message: `a group has 1 to ${MAX_GROUP_SIZE} transactions, this one ${group.length}`,
    });
  }
  return group.map(parseMember);
}

function parseMember(element: unknown, index: number): GroupMember {
  if (typeof element !== 'string' || element.length > MAX_MEMBER_CHARACTERS) {
    throw new X402Error('invalid_exact_avm_payload', {
      message: `transaction ${index} must be base64 of at most ${MAX_MEMBER_CHARACTERS} characters`,
    });
  }
  const bytes = decodeBase64(element);
  if (bytes === undefined) {
    throw new X402Error('invalid_exact_avm_invalid_transaction', { message: `transaction ${index} is not base64` });
  }
  try {
    return { bytes, ...decodeMember(bytes) };
  } catch (cause) {
    throw undecodable(index, cause);
  }
}

function undecodable(index: number, cause: unknown): unknown {
  if (!isAlgorandError(cause)) return cause;
  const code: X402ErrorCode =
    cause.code === 'unknown_field'
      ? 'invalid_exact_avm_unknown_field'
      : cause.code === 'not_canonical'
        ? 'invalid_exact_avm_not_canonical'
        : 'invalid_exact_avm_invalid_transaction';
  return new X402Error(code, {
    message: `transaction ${index}: ${cause.message.slice(0, MAX_REASON_CHARACTERS)}`,
    cause,
  });
}
