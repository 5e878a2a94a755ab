import { Bytes } from '../parts/bytes.tsx';
import { Table } from '../parts/table.tsx';
import type { KeyValue } from '../../node-answers.ts';

/** The types of a value in a state. */
export const [BYTES, INTEGER] = [1, 2];

/** The keys and values of an application's global state, or of an account's state in it. */
export function StateTable({
  title,
  state = [],
}: {
  readonly title: string;
  readonly state?: readonly KeyValue[] | undefined;
}) {
  return (
    <>
      <h2>{title}</h2>
      {state.length === 0 ? (
        <p class="quiet">No keys.</p>
      ) : (
        <Table label={title} columns={['Key', 'Value']}>
          {state.map(({ key, value }) => (
            <tr>
              <td>
                <Bytes base64={key} />
              </td>
              <td>{value.type === BYTES ? <Bytes base64={value.bytes} /> : String(value.uint)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
