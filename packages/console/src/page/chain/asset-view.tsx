import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address } from '../parts/address.tsx';
import { decimalText } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { Await } from '../parts/notice.tsx';
import type { Route } from '../route.ts';
import type { AssetAnswer } from '../../node-answers.ts';

export function AssetView({ route: { id } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<AssetAnswer>(`/api/node/assets/${encodeURIComponent(id)}`, chainVersion);
  return (
    <>
      <h1>Asset {id}</h1>
      <Await asked={asked}>
        {({ params }) => (
          <Facts
            facts={{
              Name: params.name,
              Unit: params['unit-name'],
              Decimals: params.decimals,
              Total: decimalText(BigInt(params.total), params.decimals),
              Creator: <Address address={params.creator} />,
              Manager: params.manager && <Address address={params.manager} />,
              Reserve: params.reserve && <Address address={params.reserve} />,
              Freeze: params.freeze && <Address address={params.freeze} />,
              Clawback: params.clawback && <Address address={params.clawback} />,
            }}
          />
        )}
      </Await>
    </>
  );
}
