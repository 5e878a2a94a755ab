import type { GroupMember } from '../../payments/group-member.ts';
import type { PaymentAnswer } from '../../server/payment-routes.ts';
import { useAnswer } from '../ask.ts';
import { GroupFlow } from '../chain/group-flow.tsx';
import { useLive } from '../live.ts';
import { Address, isTransactionId } from '../parts/address.tsx';
import { AssetAmount } from '../parts/amount.tsx';
import { Facts } from '../parts/facts.tsx';
import { ProblemNotice, Await } from '../parts/notice.tsx';
import type { Route } from '../route.ts';
import { Checks } from './checks.tsx';
import { Messages } from './messages.tsx';
import { Outcome } from './outcome.tsx';
import { PaymentTransaction } from './payment-transaction.tsx';
import { Waterfall } from './waterfall.tsx';

/** One payment, from the first request to the block. */
export function PaymentView({ route: { id } }: { readonly route: Route }) {
  const paymentVersion = useLive('paymentVersion');
  const asked = useAnswer<PaymentAnswer>(`/api/payments/${encodeURIComponent(id)}`, paymentVersion);
  return <Await asked={asked}>{(answer) => <Payment answer={answer} />}</Await>;
}

function Payment({ answer: { summary, spans, sent, remedies } }: { readonly answer: PaymentAnswer }) {
  const { transaction = '', payer, payTo } = summary;
  const isOnChain = isTransactionId(transaction);
  return (
    <>
      <h1>{summary.asked}</h1>
      <Facts
        facts={{
          Outcome: <Outcome payment={summary} />,
          Scheme: summary.scheme,
          Price: amountOf(summary, 'amount'),
          Charged: amountOf(summary, 'charged'),
          From: payer !== undefined && <Address address={payer} />,
          To: payTo !== undefined && <Address address={payTo} />,
          Transaction: transaction && <PaymentTransaction payment={summary} />,
        }}
      />
      <p>
        <a href={`/api/payments/${summary.traceId}/replay`} download={`payment-${summary.traceId}.json`}>
          Export
        </a>{' '}
        <span class="quiet">
          for <code>avm402 replay</code>, which runs it again step by step
        </span>
      </p>
      {Object.entries(remedies).map(([code, { meaning, remedy }]) => (
        <ProblemNotice problem={{ code, message: meaning, remedy }} />
      ))}
      <h2>Where the time went</h2>
      <Waterfall spans={spans} />
      <Group transaction={isOnChain ? transaction : ''} sent={sent} />
      <Checks spans={spans} />
      <Messages spans={spans} />
    </>
  );
}

function amountOf({ asset, ...summary }: PaymentAnswer['summary'], name: 'amount' | 'charged') {
  const units = summary[name];
  return units !== undefined && asset !== undefined && <AssetAmount units={units} assetId={asset} />;
}

/** The group as it is on chain; if the payment is not on chain, the group as it was sent. */
function Group({ transaction, sent }: { readonly transaction: string; readonly sent: PaymentAnswer['sent'] }) {
  const chainVersion = useLive('chainVersion');
  const path = transaction === '' ? '' : `/api/groups/${transaction}`;
  const { answer, problem } = useAnswer<readonly GroupMember[]>(path, chainVersion);
  if (answer !== undefined)
    return (
      <>
        <h2>Its group on chain</h2>
        <GroupFlow members={answer} marked={transaction} />
      </>
    );
  if (sent.length === 0 || (path !== '' && problem === undefined)) return null;
  return (
    <>
      <h2>Its group, as it was sent</h2>
      <GroupFlow members={sent} />
    </>
  );
}
