import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address, useName } from '../parts/address.tsx';
import { Algos, AssetAmount } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { Await } from '../parts/notice.tsx';
import { linkTo, type Route } from '../route.ts';
import type { AccountAnswer } from '../../node-answers.ts';
import { StateTable } from './state-table.tsx';

export function AccountView({ route: { id } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<AccountAnswer>(`/api/node/accounts/${encodeURIComponent(id)}`, chainVersion);
  return (
    <>
      <h1>Account {useName(id)}</h1>
      <p>
        <code class="whole">{id}</code>
      </p>
      <Await asked={asked}>{(account) => <Account account={account} />}</Await>
    </>
  );
}

function Account({ account }: { readonly account: AccountAnswer }) {
  const { assets = [], 'created-assets': created = [], 'created-apps': applications = [] } = account;
  const signer = account['auth-addr'];
  return (
    <>
      <Facts
        facts={{
          Balance: <Algos microAlgos={account.amount} />,
          'Must keep': <Algos microAlgos={account['min-balance']} />,
          'Signed for by': signer && <Address address={signer} />,
          Mandate: <a href={linkTo('mandates', account.address)}>its rules and slots, if it is one</a>,
          'Created assets': created.map(({ index }) => <a href={linkTo('assets', index)}>{index}</a>),
          'Created applications': applications.map(({ id }) => <a href={linkTo('applications', id)}>{id}</a>),
        }}
      />
      <h2>Assets</h2>
      {assets.length === 0 && <p class="quiet">It has opted in to none, so nobody can pay it in USDC.</p>}
      <ul class="cards">
        {assets.map((holding) => (
          <li class="card">
            <AssetAmount units={holding.amount} assetId={holding['asset-id']} />
            {holding['is-frozen'] && <span class="tag bad">frozen</span>}
          </li>
        ))}
      </ul>
      {account['apps-local-state']?.map((local) => (
        <StateTable title={`State in application ${local.id}`} state={local['key-value']} />
      ))}
    </>
  );
}
