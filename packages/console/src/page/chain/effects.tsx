import { Address } from '../parts/address.tsx';
import { Bytes } from '../parts/bytes.tsx';
import { Table } from '../parts/table.tsx';
import type { PendingAnswer } from '../../node-answers.ts';
import { BYTES, INTEGER } from './state-table.tsx';
import { Movement } from './movement.tsx';

/** The effects of an application call beside its own transaction: logs, state that it wrote, and inner transactions. */
export function Effects({ answer }: { readonly answer: PendingAnswer }) {
  const { logs = [], 'inner-txns': inner = [] } = answer;
  return (
    <>
      {logs.length > 0 && (
        <>
          <h2>Logs</h2>
          <ol>
            {logs.map((line) => (
              <li>
                <Bytes base64={line} />
              </li>
            ))}
          </ol>
        </>
      )}
      <StateWritten answer={answer} />
      {inner.length > 0 && (
        <>
          <h2>Inner transactions</h2>
          <InnerTransactions transactions={inner} />
        </>
      )}
    </>
  );
}

/** In the order in which they ran; what one of them ran itself is indented below it. */
function InnerTransactions({ transactions }: { readonly transactions: readonly PendingAnswer[] }) {
  return (
    <ol class="inner">
      {transactions.map(({ txn, logs = [], 'inner-txns': inner = [] }) => (
        <li>
          <Movement transaction={txn.txn} />
          {logs.map((line) => (
            <small>
              logs <Bytes base64={line} />
            </small>
          ))}
          {inner.length > 0 && <InnerTransactions transactions={inner} />}
        </li>
      ))}
    </ol>
  );
}

function StateWritten({ answer }: { readonly answer: PendingAnswer }) {
  const global = (answer['global-state-delta'] ?? []).map((delta) => ({ ...delta, account: undefined }));
  const local = (answer['local-state-delta'] ?? []).flatMap(({ address: account, delta }) =>
    delta.map((each) => ({ ...each, account })),
  );
  if (global.length + local.length === 0) return null;
  return (
    <>
      <h2>State written</h2>
      <Table label="State written" columns={['Whose', 'Key', 'Value']}>
        {[...global, ...local].map(({ account, key, value: { action, bytes = '', uint = 0 } }) => (
          <tr>
            <td>{account === undefined ? 'the application’s' : <Address address={account} />}</td>
            <td>
              <Bytes base64={key} />
            </td>
            <td>
              {action === BYTES && <Bytes base64={bytes} />}
              {action === INTEGER && String(uint)}
              {action !== BYTES && action !== INTEGER && <span class="quiet">deleted</span>}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
