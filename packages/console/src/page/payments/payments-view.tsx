import type { PaymentSummary } from '../../payments/payment-summary.ts';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address, isTransactionId } from '../parts/address.tsx';
import { AssetAmount, Milliseconds } from '../parts/amount.tsx';
import { Await } from '../parts/notice.tsx';
import { linkTo } from '../route.ts';
import { PayButton } from './pay-button.tsx';
import { Outcome } from './outcome.tsx';
import { PaymentTransaction } from './payment-transaction.tsx';

/** Payments as they happen, the latest first. */
export function PaymentsView() {
  const paymentVersion = useLive('paymentVersion');
  const asked = useAnswer<readonly PaymentSummary[]>('/api/payments', paymentVersion);
  return (
    <>
      <h1>Payments</h1>
      <PayButton />
      <Await asked={asked}>
        {(payments) => (payments.length === 0 ? <NoneYet /> : <Payments payments={payments} />)}
      </Await>
    </>
  );
}

function NoneYet() {
  return (
    <div class="notice">
      <p>No payments reported yet.</p>
      <p>
        A service reports its payments when its environment has{' '}
        <code>OTEL_EXPORTER_OTLP_ENDPOINT={location.origin}</code>; the services of <code>npm run dev</code> do.
      </p>
    </div>
  );
}

function Payments({ payments }: { readonly payments: readonly PaymentSummary[] }) {
  return (
    <ol class="cards payments">
      {payments.map((payment) => (
        <li class={`card movement payment ${payment.standing}`} key={payment.traceId}>
          <a href={linkTo('payments', payment.traceId)}>{payment.asked}</a>
          <span class="movement">
            <Outcome payment={payment} />
          </span>
          <Cost payment={payment} />
          <span>
            {payment.payer !== undefined && (
              <>
                by <Address address={payment.payer} />
              </>
            )}
          </span>
          <span>
            {payment.transaction !== undefined && isTransactionId(payment.transaction) && (
              <PaymentTransaction payment={payment} />
            )}
          </span>
          <span class="quiet">{new Date(payment.from).toLocaleTimeString()}</span>
          <span class="quiet number">
            <Milliseconds ms={payment.durationMs} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** The cost of a payment; the price while the cost is not known, or if nothing was paid. */
function Cost({ payment: { standing, amount, charged, asset } }: { readonly payment: PaymentSummary }) {
  const units = charged ?? amount;
  if (units === undefined || asset === undefined) return <span />;
  return (
    <span>
      {charged === undefined && standing !== 'paid' && <span class="quiet">asked for </span>}
      <AssetAmount units={units} assetId={asset} />
    </span>
  );
}
