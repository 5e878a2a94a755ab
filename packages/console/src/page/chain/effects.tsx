import { Address } from '../parts/address.tsx';
import { Bytes } from '../parts/bytes.tsx';
import { Table } from '../parts/table.tsx';
import { BYTES, INTEGER, type PendingAnswer } from './algod-json.ts';
import { Movement } from './movement.tsx';

/** What an application call did beside its own transaction: logs, state that it wrote, and inner transactions. */
export function Effects({ of }: { readonly of: PendingAnswer }) {
  const { logs = [], 'inner-txns': inner = [] } = of;
  return (
    <>
      {logs.length > 0 && (
        <>
          <h2>Logs</h2>
          <ol>
            {logs.map((line) => (
              <li>
                <Bytes of={line} />
              </li>
            ))}
          </ol>
        </>
      )}
      <StateWritten of={of} />
      {inner.length > 0 && (
        <>
          <h2>Inner transactions</h2>
          <InnerTransactions of={inner} />
        </>
      )}
    </>
  );
}

/** In the order in which they ran; what one of them ran itself is indented below it. */
function InnerTransactions({ of }: { readonly of: readonly PendingAnswer[] }) {
  return (
    <ol class="inner">
      {of.map(({ txn, logs = [], 'inner-txns': inner = [] }) => (
        <li>
          <Movement of={txn.txn} />
          {logs.map((line) => (
            <small>
              logs <Bytes of={line} />
            </small>
          ))}
          {inner.length > 0 && <InnerTransactions of={inner} />}
        </li>
      ))}
    </ol>
  );
}

function StateWritten({ of }: { readonly of: PendingAnswer }) {
  const global = (of['global-state-delta'] ?? []).map((delta) => ({ ...delta, account: undefined }));
  const local = (of['local-state-delta'] ?? []).flatMap(({ address: account, delta }) =>
    delta.map((each) => ({ ...each, account })),
  );
  if (global.length + local.length === 0) return null;
  return (
    <>
      <h2>State written</h2>
      <Table of="State written" columns={['Whose', 'Key', 'Value']}>
        {[...global, ...local].map(({ account, key, value: { action, bytes = '', uint = 0 } }) => (
          <tr>
            <td>{account === undefined ? 'the application’s' : <Address of={account} />}</td>
            <td>
              <Bytes of={key} />
            </td>
            <td>
              {action === BYTES && <Bytes of={bytes} />}
              {action === INTEGER && String(uint)}
              {action !== BYTES && action !== INTEGER && <span class="quiet">deleted</span>}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
