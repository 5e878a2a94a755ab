import { useAnswer } from '../ask.ts';
import { Address } from '../parts/address.tsx';
import { decimalText } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { Shown } from '../parts/notice.tsx';
import type { Route } from '../route.ts';
import type { AssetAnswer } from './algod-json.ts';

export function AssetView({ route: { id } }: { readonly route: Route }) {
  const asked = useAnswer<AssetAnswer>(`/api/node/assets/${encodeURIComponent(id)}`);
  return (
    <>
      <h1>Asset {id}</h1>
      <Shown asked={asked}>
        {({ params }) => (
          <Facts
            of={{
              Name: params.name,
              Unit: params['unit-name'],
              Decimals: params.decimals,
              Total: decimalText(BigInt(params.total), params.decimals),
              Creator: <Address of={params.creator} />,
              Manager: params.manager && <Address of={params.manager} />,
              Reserve: params.reserve && <Address of={params.reserve} />,
              Freeze: params.freeze && <Address of={params.freeze} />,
              Clawback: params.clawback && <Address of={params.clawback} />,
            }}
          />
        )}
      </Shown>
    </>
  );
}
