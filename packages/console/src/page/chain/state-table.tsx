import { Bytes } from '../parts/bytes.tsx';
import { Table } from '../parts/table.tsx';
import { BYTES, type KeyValue } from './algod-json.ts';

/** The keys and values of an application's global state, or of an account's state in it. */
export function StateTable({
  title,
  of = [],
}: {
  readonly title: string;
  readonly of?: readonly KeyValue[] | undefined;
}) {
  return (
    <>
      <h2>{title}</h2>
      {of.length === 0 ? (
        <p class="quiet">No keys.</p>
      ) : (
        <Table of={title} columns={['Key', 'Value']}>
          {of.map(({ key, value }) => (
            <tr>
              <td>
                <Bytes of={key} />
              </td>
              <td>{value.type === BYTES ? <Bytes of={value.bytes} /> : String(value.uint)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
