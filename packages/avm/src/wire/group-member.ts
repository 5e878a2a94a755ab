import { decodeBase64 } from '@avm402/algorand/base64';
import { isAlgorandError } from '@avm402/algorand/errors';
import { MAX_GROUP_SIZE } from '@avm402/algorand/group';
import { type DecodedMember, decodeMember } from '@avm402/algorand/signed-transaction';
import type { X402Error } from '@avm402/core/errors';

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

/** Whether a member carries no authorization of any kind. */
export function isUnsigned({ signed }: GroupMember): boolean {
  const { txn: _, ...authorization } = signed;
  return Object.values(authorization).every((part) => part === undefined);
}

/** Makes a scheme's error for a group that can't be read. */
type Invalid = (reason: Reason, message: string, cause?: unknown) => X402Error;

type Reason = 'payload' | 'group_size_exceeded' | 'invalid_transaction' | 'unknown_field' | 'not_canonical';

/**
 * Decodes the members of a group, each base64 of canonical msgpack.
 * @throws what `invalid` makes
 */
export function parseGroupMembers(group: readonly unknown[], invalid: Invalid): GroupMember[] {
  if (group.length === 0 || group.length > MAX_GROUP_SIZE) {
    throw invalid('group_size_exceeded', `a group has 1 to ${MAX_GROUP_SIZE} transactions, this one ${group.length}`);
  }
  return group.map((element, index) => parseMember(element, index, invalid));
}

function parseMember(element: unknown, index: number, invalid: Invalid): GroupMember {
  if (typeof element !== 'string' || element.length > MAX_MEMBER_CHARACTERS) {
    const message = `transaction ${index} must be base64 of at most ${MAX_MEMBER_CHARACTERS} characters`;
    throw invalid('payload', message);
  }
  const bytes = decodeBase64(element);
  if (bytes === undefined) throw invalid('invalid_transaction', `transaction ${index} is not base64`);
  try {
    return { bytes, ...decodeMember(bytes) };
  } catch (cause) {
    if (!isAlgorandError(cause)) throw cause;
    const { code, message } = cause;
    const reason = code === 'unknown_field' || code === 'not_canonical' ? code : 'invalid_transaction';
    throw invalid(reason, `transaction ${index}: ${message.slice(0, MAX_REASON_CHARACTERS)}`, cause);
  }
}
