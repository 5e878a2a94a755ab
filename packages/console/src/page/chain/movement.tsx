import { ZERO_ADDRESS } from '@avm402/algorand/address';
import type { WireTransaction } from '../../node-answers.ts';
import { Address } from '../parts/address.tsx';
import { Algos, AssetAmount, Fee } from '../parts/amount.tsx';
import { linkTo } from '../route.ts';

/** The effect of one transaction: the amount that it moves, from whom to whom, and its fee. */
export function Movement({ transaction }: { readonly transaction: WireTransaction }) {
  const { type, snd, asnd, rcv, arcv, close, aclose, rekey, fee = 0 } = transaction;
  // The address of zeros is not written; what it gets is lost.
  const lost = type === 'pay' || type === 'axfer' ? ZERO_ADDRESS : undefined;
  const [receiver, remainder] = [rcv ?? arcv ?? lost, close ?? aclose];
  return (
    <div class="movement">
      <span class="tag">{type}</span>
      <Address address={asnd ?? snd} />
      {receiver !== undefined && (
        <>
          <span aria-label="to">→</span>
          <Address address={receiver} />
        </>
      )}
      <Moved transaction={transaction} />
      {asnd !== undefined && <Warning text="taken back by" address={snd} />}
      {remainder !== undefined && <Warning text="and all that is left to" address={remainder} />}
      {rekey !== undefined && <Warning text="and hands the account over to" address={rekey} />}
      <span class="quiet">
        fee <Fee microAlgos={fee} />
      </span>
    </div>
  );
}

function Warning({ text, address }: { readonly text: string; readonly address: string }) {
  return (
    <strong>
      {text} <Address address={address} />
    </strong>
  );
}

function Moved({ transaction }: { readonly transaction: WireTransaction }) {
  const { type, amt = 0, aamt = 0, xaid = 0, apid } = transaction;
  if (type === 'pay') return <Algos microAlgos={amt} />;
  if (type === 'axfer') return <AssetAmount units={aamt} assetId={xaid} />;
  if (apid !== undefined) return <a href={linkTo('applications', apid)}>application {String(apid)}</a>;
  return null;
}
