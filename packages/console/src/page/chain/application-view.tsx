import { useAnswer } from '../ask.ts';
import { useLive } from '../live.ts';
import { Address } from '../parts/address.tsx';
import { Bytes } from '../parts/bytes.tsx';
import { Facts } from '../parts/facts.tsx';
import { Await } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import type { Route } from '../route.ts';
import type { ApplicationAnswer, BoxesAnswer } from '../../node-answers.ts';
import { StateTable } from './state-table.tsx';

const BOXES_SHOWN = 100;

/** The number of bytes in a base64 text. */
const sizeOf = (base64: string): number => atob(base64).length;

/** An application with its state and boxes as they are now: they change with the chain. */
export function ApplicationView({ route: { id } }: { readonly route: Route }) {
  const chainVersion = useLive('chainVersion');
  const path = `/api/node/applications/${encodeURIComponent(id)}`;
  const asked = useAnswer<ApplicationAnswer>(path, chainVersion);
  const account = useAnswer<{ readonly address: string }>(`/api/applications/${encodeURIComponent(id)}/account`);
  const boxes = useAnswer<BoxesAnswer>(`${path}/boxes?limit=${BOXES_SHOWN}&include=values`, chainVersion);
  return (
    <>
      <h1>Application {id}</h1>
      <Await asked={asked}>
        {({ params }) => (
          <>
            <Facts
              facts={{
                Creator: <Address address={params.creator} />,
                Account: account.answer && <Address address={account.answer.address} />,
                Updates: params.version ?? 0,
                'Approval program': `${sizeOf(params['approval-program'])} bytes`,
                'Clear state program': `${sizeOf(params['clear-state-program'])} bytes`,
              }}
            />
            <StateTable title="Global state" state={params['global-state']} />
            <h2>Boxes</h2>
            <Await asked={boxes}>{(answer) => <Boxes answer={answer} />}</Await>
          </>
        )}
      </Await>
    </>
  );
}

function Boxes({ answer: { boxes = [], 'next-token': next } }: { readonly answer: BoxesAnswer }) {
  if (boxes.length === 0) return <p class="quiet">No boxes.</p>;
  return (
    <>
      <Table label="Boxes" columns={['Name', 'Content']}>
        {boxes.map(({ name, value }) => (
          <tr>
            <td>
              <Bytes base64={name} />
            </td>
            <td>{value !== undefined && <Bytes base64={value} />}</td>
          </tr>
        ))}
      </Table>
      {next !== undefined && <p class="quiet">There are more boxes than these {boxes.length}.</p>}
    </>
  );
}
