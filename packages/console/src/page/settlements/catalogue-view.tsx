import type { CatalogueAnswer, Listed } from '../../server/facilitator-routes.ts';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address } from '../parts/address.tsx';
import { AssetAmount } from '../parts/amount.tsx';
import { Await, NothingHere } from '../parts/notice.tsx';

/** The resources for sale that the facilitator knows from settled payments. */
export function CatalogueView() {
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<CatalogueAnswer>('/api/facilitator/discovery/resources', chainVersion);
  return (
    <>
      <h1>Catalogue</h1>
      <p class="quiet">What is for sale, as the facilitator learns it from payments that were settled.</p>
      {asked.problem?.code === 'not_found' ? (
        <NothingHere what="catalogue here">
          <p>This facilitator keeps none.</p>
        </NothingHere>
      ) : (
        <Await asked={asked}>{({ items }) => <Resources items={items} />}</Await>
      )}
    </>
  );
}

function Resources({ items }: CatalogueAnswer) {
  if (items.length === 0)
    return (
      <NothingHere what="resource in it yet">
        <p>One is listed after its first settled payment, if its seller declares it.</p>
      </NothingHere>
    );
  return (
    <ul class="cards">
      {items.map((item) => (
        <li class="card">
          <code class="whole">{item.resource}</code>
          <div>{item.description}</div>
          <Offers item={item} />
        </li>
      ))}
    </ul>
  );
}

/** Each offer once: two spellings of a network count as one. */
function Offers({ item: { accepts } }: { readonly item: Listed }) {
  const different = new Map(
    accepts.map((offer) => [`${offer.scheme} ${offer.asset} ${offer.amount} ${offer.payTo}`, offer]),
  );
  return (
    <>
      {[...different.values()].map(({ scheme, asset, amount, payTo }) => (
        <div class="movement">
          <span class="tag">{scheme}</span>
          <AssetAmount units={amount} assetId={asset} />
          <span class="quiet">to</span>
          <Address address={payTo} />
        </div>
      ))}
    </>
  );
}
