import { decodeBase64 } from '@avm402/algorand/base64';
import { decodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import type { WalletMember } from '@avm402/client/mandate';
import { Address } from '../parts/address.tsx';
import { Algos, AssetAmount, Fee } from '../parts/amount.tsx';

export function transactionOf({ txn }: WalletMember): Transaction {
  return decodeTransaction(decodeBase64(txn) ?? new Uint8Array());
}

/** A member of a group that is to be signed, as a row: who sends it, what it does, what it costs, who signs it. */
export function GroupMember({ member }: { readonly member: WalletMember }) {
  const txn = transactionOf(member);
  return (
    <tr>
      <td>
        <Address of={txn.sender} />
      </td>
      <td>
        <Effect of={txn} />
        {txn.rekeyTo !== undefined && (
          <strong>
            {' '}
            and hands the account over to <Address of={txn.rekeyTo} />
          </strong>
        )}
      </td>
      <td>
        <Fee microAlgos={txn.fee} />
      </td>
      <td>{member.stxn === undefined ? 'the wallet' : 'the program has'}</td>
    </tr>
  );
}

function Effect({ of }: { readonly of: Transaction }) {
  if (of.type === 'pay') {
    return (
      <>
        sends <Algos microAlgos={of.amount} /> to <Address of={of.receiver} />
        <Rest to={of.closeRemainderTo} />
      </>
    );
  }
  if (of.type !== 'axfer') return <>{of.type}</>;
  return (
    <>
      sends <AssetAmount units={of.amount} assetId={of.assetId} />
      {of.assetSender !== undefined && (
        <strong>
          {' '}
          that it takes from <Address of={of.assetSender} />
        </strong>
      )}{' '}
      to <Address of={of.receiver} />
      <Rest to={of.assetCloseTo} />
    </>
  );
}

function Rest({ to }: { readonly to: string | undefined }) {
  if (to === undefined) return null;
  return (
    <>
      , and all that is left to <Address of={to} />
    </>
  );
}
