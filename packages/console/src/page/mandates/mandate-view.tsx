import type { MandateAnswer } from '../../server/mandate-routes.ts';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address } from '../parts/address.tsx';
import { AssetAmount } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { NothingHere, Await } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import { linkTo, type Route } from '../route.ts';
import { SlotTimeline } from './slot-timeline.tsx';

/** An agent's budget that the chain enforces: its rules in words, its slots, and the payments that took them. */
export function MandateView({ route: { id } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const asked = useAnswer<MandateAnswer | null>(`/api/mandates/${encodeURIComponent(id)}`, chainVersion);
  return (
    <>
      <h1>Mandate</h1>
      <p>
        <a href={linkTo('accounts', id)}>
          <code class="whole">{id}</code>
        </a>
      </p>
      <Await asked={asked}>
        {(answer) =>
          answer === null ? (
            <NothingHere what="mandate that signed in the last 1,000 rounds at this address" />
          ) : (
            <Mandate answer={answer} />
          )
        }
      </Await>
    </>
  );
}

function Mandate({ answer }: { readonly answer: MandateAnswer }) {
  const { config, status, payments } = answer;
  const inAsset = (units: string) => <AssetAmount units={units} assetId={config.asset} />;
  return (
    <>
      <Rules answer={answer} />
      <Facts
        facts={{
          State: WORDS[status.state],
          Holds: inAsset(status.held),
          'Can pay now': inAsset(status.payable),
          'Free slots': `${status.freeSlots} of ${status.slots}, until round ${status.windowEnd}`,
          Owner: <Address address={config.owner} />,
          'Agent’s key': <Address address={config.agent} />,
        }}
      />
      <h2>Its slots</h2>
      <SlotTimeline status={status} payments={payments} />
      <h2>Its payments</h2>
      {payments.length === 0 ? (
        <p class="quiet">None whose slot is taken now.</p>
      ) : (
        <Table label="Payments" columns={['round', 'amount', 'to', 'slot', 'taken until']}>
          {payments.map(({ round, amount, receiver, slot, until }) => (
            <tr>
              <td>
                <a href={linkTo('blocks', round)}>{round}</a>
              </td>
              <td>{inAsset(amount)}</td>
              <td>
                <Address address={receiver} />
              </td>
              <td>{slot}</td>
              <td>{until}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

const WORDS = { open: 'open', expired: 'expired: it pays nothing more', empty: 'empty: it pays nothing' } as const;

function Rules({ answer: { config, paysAnybody, status } }: { readonly answer: MandateAnswer }) {
  const most = (BigInt(status.cap) * BigInt(status.slots)).toString();
  return (
    <p>
      At most <AssetAmount units={status.cap} assetId={config.asset} /> a payment and {status.slots} payments in 500
      rounds, so <AssetAmount units={most} assetId={config.asset} />, to{' '}
      {paysAnybody ? 'anybody' : 'the receivers that its owner named'}, until round {status.expiry}. The chain enforces
      it, whoever has the agent’s key. The owner can end it at any time, and gets back what it holds: by{' '}
      <code>avm402 mandate end</code>, or with a wallet that <a href={linkTo('sign')}>signs its group</a>.
    </p>
  );
}
