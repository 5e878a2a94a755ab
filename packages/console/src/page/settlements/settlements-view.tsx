import { Table } from '../parts/table.tsx';
import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address, ShortenedId, TransactionLink } from '../parts/address.tsx';
import { AssetAmount, Fee } from '../parts/amount.tsx';
import { Choice, Form, TextField } from '../parts/form.tsx';
import { Await, NothingHere } from '../parts/notice.tsx';
import { linkTo, type Route } from '../route.ts';
import type { LedgerPage, Settlement } from '../../server/facilitator-routes.ts';

const ANY = 'any';
const STATES = [ANY, 'recorded', 'submitted', 'confirmed', 'rejected', 'expired'];

/** The facilitator's ledger, filtered by the link. */
export function SettlementsView({ route: { query } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const chosen = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const asked = useAnswer<LedgerPage>(`/api/facilitator/settlements?${chosen}`, chainVersion);
  return (
    <>
      <h1>Settlements</h1>
      <Choices query={query} key={`${query}`} />
      {['http_404', 'not_found'].includes(asked.problem?.code ?? '') ? (
        <NoLedger />
      ) : (
        <Await asked={asked}>{(page) => <Ledger page={page} query={query} />}</Await>
      )}
    </>
  );
}

function NoLedger() {
  return (
    <div class="notice">
      <p>The facilitator’s ledger is not public.</p>
      <p>
        Give it a <code>CALLERS_FILE</code>, and the console an operator’s key as <code>FACILITATOR_KEY</code>; or, in
        development, set its <code>OPEN_LEDGER=true</code>.
      </p>
    </div>
  );
}

function Choices({ query }: { readonly query: URLSearchParams }) {
  const choose = (of: (field: string) => string): void => {
    const transaction = of('transaction');
    location.hash =
      transaction === ''
        ? linkTo('settlements', '', { state: of('state').replace(ANY, ''), receiver: of('receiver') })
        : linkTo('transactions', transaction);
  };
  return (
    <Form role="search" onSubmit={choose}>
      <Choice label="State" name="state" options={STATES} chosen={query.get('state') ?? ANY} />
      <TextField label="Seller’s address" name="receiver" defaultValue={query.get('receiver') ?? ''} />
      <TextField label="or TxID" name="transaction" pattern="\s*[A-Z2-7]{52}\s*" title="52 characters" />
      <button>Show</button>
    </Form>
  );
}

function Ledger({
  page: { settlements, cursor },
  query,
}: {
  readonly page: LedgerPage;
  readonly query: URLSearchParams;
}) {
  if (settlements.length === 0)
    return (
      <NothingHere what="such settlement">
        <p>Pay for something, or choose less narrowly.</p>
      </NothingHere>
    );
  return (
    <>
      <Table label="Settlements" columns={['Recorded', 'State', 'Amount', 'From', 'To', 'Fee sponsored', 'TxID']}>
        {settlements.map((settlement) => (
          <Row settlement={settlement} key={settlement.transaction} />
        ))}
      </Table>
      {cursor !== undefined && (
        <p>
          <a href={linkTo('settlements', '', { ...Object.fromEntries(query), cursor })}>Earlier ones</a>
        </p>
      )}
    </>
  );
}

/** States of a settlement whose transaction no node shows. */
const NOT_ON_CHAIN = new Set(['rejected', 'expired']);

function Row({ settlement }: { readonly settlement: Settlement }) {
  const { state, transaction, channelMove, errorReason, sponsoredFee } = settlement;
  return (
    <tr>
      <td>{new Date(settlement.recordedAt).toLocaleString()}</td>
      <td>
        {state}
        {errorReason !== undefined && (
          <>
            {' '}
            <code class="bad">{errorReason}</code>
          </>
        )}
      </td>
      <td>
        <AssetAmount units={settlement.amount} assetId={settlement.asset} />
        {channelMove !== undefined && <span class="quiet"> {channelMove} of a channel</span>}
      </td>
      <td>
        <span class="narrow">from </span>
        <Address address={settlement.payer} />
      </td>
      <td>
        <span class="narrow">to </span>
        <Address address={settlement.payTo} />
      </td>
      <td>
        {sponsoredFee !== undefined && (
          <>
            <span class="narrow">fee </span>
            <Fee microAlgos={sponsoredFee} />
          </>
        )}
      </td>
      <td>{NOT_ON_CHAIN.has(state) ? <ShortenedId id={transaction} /> : <TransactionLink id={transaction} />}</td>
    </tr>
  );
}
