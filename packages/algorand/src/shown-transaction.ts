import { decodeBase64, encodeBase64 } from './base64.ts';
import { encodeMsgpack } from './msgpack.ts';
import { decodeMember, encodeSignedTransaction, type SignedTransaction } from './signed-transaction.ts';

/** Not a valid signature of anything: its second half is above the order of the curve's group (RFC 8032, 5.1.7). */
const LEFT_OUT = new Uint8Array(64).fill(0xff);
const EMPTY = encodeMsgpack({});

/**
 * A transaction for onlookers, who must not be able to send it: 64 bytes of 0xff replace each signature, and an empty
 * map replaces a logic signature or a Falcon signature. An unsigned transaction is shown as it is. Undefined if `member` is not a
 * transaction.
 * @param member base64 of the canonical msgpack of a signed transaction, or of a bare one
 * @example
 * ```ts
 * import { shownTransaction } from '@avm402/algorand/shown-transaction';
 *
 * const show = (group: readonly string[]) => group.map((member) => shownTransaction(member) ?? 'no transaction');
 * ```
 */
export function shownTransaction(member: string): string | undefined {
  try {
    const bytes = decodeBase64(member);
    if (bytes === undefined) return undefined;
    const { signed } = decodeMember(bytes);
    const { signature, multisig, logicSignature, pqSignature } = signed;
    return (signature ?? multisig ?? logicSignature ?? pqSignature) === undefined
      ? member
      : encodeBase64(encodeSignedTransaction(unsigned(signed)));
  } catch {
    return undefined;
  }
}

function unsigned({ signature, multisig, logicSignature, pqSignature, ...rest }: SignedTransaction): SignedTransaction {
  const subsignatures = multisig?.subsignatures.map((one) => (one.signature ? { ...one, signature: LEFT_OUT } : one));
  return {
    ...rest,
    ...(signature && { signature: LEFT_OUT }),
    ...(multisig && subsignatures && { multisig: { ...multisig, subsignatures } }),
    ...(logicSignature && { logicSignature: EMPTY }),
    ...(pqSignature && { pqSignature: EMPTY }),
  };
}

/** Whether `shownTransaction` removed a transaction's signatures. */
export function isShown({ signature, multisig, logicSignature, pqSignature }: SignedTransaction): boolean {
  const signatures = [signature, ...(multisig?.subsignatures.map((one) => one.signature) ?? [])];
  const isEmpty = [logicSignature, pqSignature].some((encoded) => encoded?.length === EMPTY.length);
  return isEmpty || signatures.some((one) => one?.every((byte) => byte === 0xff));
}
