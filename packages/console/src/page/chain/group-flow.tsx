import type { GroupMember } from '../../payments/group-member.ts';
import type { SignedWireTransaction } from '../../node-answers.ts';
import { Address, TransactionLink } from '../parts/address.tsx';
import { Fee } from '../parts/amount.tsx';
import { Movement } from './movement.tsx';

/** A drawing of a group: its members in order, then who pays the fee, and for how many members. */
export function GroupFlow({ members, marked }: { readonly members: readonly GroupMember[]; readonly marked?: string }) {
  const feeOf = ({ signed }: GroupMember): bigint => BigInt(signed.txn.fee ?? 0);
  const total = members.reduce((sum, member) => sum + feeOf(member), 0n);
  const payers = [...new Set(members.filter((member) => feeOf(member) > 0n).map(({ signed }) => signed.txn.snd))];
  return (
    <figure class="group">
      <ol>
        {members.map(({ id, signed }) => (
          <li class={id !== undefined && id === marked ? 'member marked' : 'member'}>
            <Movement transaction={signed.txn} />
            <small class="quiet">
              signed by {signedBy(signed)} {id !== undefined && <TransactionLink id={id} />}
            </small>
          </li>
        ))}
      </ol>
      <figcaption>
        {payers.length === 0 ? (
          'nobody pays a fee'
        ) : (
          <>
            {payers.map((payer) => (
              <Address address={payer} />
            ))}{' '}
            {payers.length === 1 ? 'pays' : 'pay'} <Fee microAlgos={String(total)} /> for {members.length}{' '}
            {members.length === 1 ? 'transaction' : 'transactions'}
          </>
        )}
      </figcaption>
    </figure>
  );
}

/** How a transaction was signed, in words. */
function signedBy({ sig, msig, lsig, pqsig, sgnr }: SignedWireTransaction): string {
  const how = sig ? 'a signature' : msig ? 'a multisig' : lsig ? 'a program' : pqsig ? 'a Falcon signature' : 'nobody';
  return sgnr ? `${how} of another key` : how;
}
