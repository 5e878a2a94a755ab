import { Address } from '../parts/address.tsx';
import { Algos, AssetAmount, Fee } from '../parts/amount.tsx';
import { linkTo } from '../route.ts';
import type { WireTransaction } from './algod-json.ts';

/** The amount that one transaction moves, from whom to whom, and its fee. A clawback takes from another than its sender. */
export function Movement({ of }: { readonly of: WireTransaction }) {
  const receiver = of.rcv ?? of.arcv;
  return (
    <div class="movement">
      <span class="tag">{of.type}</span>
      <Address of={of.asnd ?? of.snd} />
      {receiver !== undefined && (
        <>
          <span aria-label="to">→</span>
          <Address of={receiver} />
        </>
      )}
      <Moved of={of} />
      <span class="quiet">
        fee <Fee microAlgos={of.fee ?? 0} />
      </span>
    </div>
  );
}

function Moved({ of }: { readonly of: WireTransaction }) {
  if (of.type === 'pay') return <Algos microAlgos={of.amt ?? 0} />;
  if (of.type === 'axfer') return <AssetAmount units={of.aamt ?? 0} assetId={of.xaid ?? 0} />;
  if (of.apid !== undefined) return <a href={linkTo('applications', of.apid)}>application {String(of.apid)}</a>;
  return null;
}
