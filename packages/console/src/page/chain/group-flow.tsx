import { Address, TransactionLink } from '../parts/address.tsx';
import { Fee } from '../parts/amount.tsx';
import type { SignedWireTransaction } from './algod-json.ts';
import { signedBy } from './algod-json.ts';
import { Movement } from './movement.tsx';

export interface GroupMember {
  readonly id?: string;
  readonly signed: SignedWireTransaction;
}

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
            <Movement of={signed.txn} />
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
              <Address of={payer} />
            ))}{' '}
            {payers.length === 1 ? 'pays' : 'pay'} <Fee microAlgos={total} /> for {members.length}{' '}
            {members.length === 1 ? 'transaction' : 'transactions'}
          </>
        )}
      </figcaption>
    </figure>
  );
}
