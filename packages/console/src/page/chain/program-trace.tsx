import { Table } from '../parts/table.tsx';
import type { GroupTrace } from '@avm402/devnode';
import { useAnswer } from '../ask.ts';

/** The steps of all programs in a transaction's group; nothing if there is no program. */
export function ProgramTrace({ id }: { readonly id: string }) {
  const { answer } = useAnswer<GroupTrace>(`/api/traces/${encodeURIComponent(id)}`);
  if (answer === undefined || answer.programs.length + answer.applications.length === 0) return null;
  return (
    <>
      <h2>Programs</h2>
      {answer.programs.map(({ index, cost, steps }) => (
        <details open>
          <summary>
            The program that signs member {index + 1}: {steps.length} instructions, cost {cost}
          </summary>
          <Steps steps={steps} />
        </details>
      ))}
      {answer.applications.map(({ path: [member = 0, ...inner], application, program, steps }) => (
        <details open>
          <summary>
            The {program} program of application {application} in member {member + 1}
            {inner.length > 0 && `, inner transaction ${inner.map((index) => index + 1).join('.')}`}: {steps.length}{' '}
            instructions
          </summary>
          <Steps steps={steps} />
        </details>
      ))}
    </>
  );
}

function Steps({ steps }: { readonly steps: GroupTrace['programs'][number]['steps'] }) {
  return (
    <Table label="Steps of the program" columns={['pc', 'Instruction', 'Takes', 'Leaves on the stack']}>
      {steps.map(({ pc, line, popped, pushed }) => (
        <tr>
          <td>{pc}</td>
          <td>
            <code>{line}</code>
          </td>
          <td>{popped === 0 ? '' : popped}</td>
          <td>
            <code class="whole">{pushed.join(' ')}</code>
          </td>
        </tr>
      ))}
    </Table>
  );
}
