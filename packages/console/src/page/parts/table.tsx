import type { ComponentChildren } from 'preact';

/** A table that scrolls on its own when it is too wide, by keyboard as well. */
export function Table(props: {
  /** The name of its content, for people who can't see it. */
  readonly label: string;
  readonly columns: readonly ComponentChildren[];
  readonly children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={props.label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}
