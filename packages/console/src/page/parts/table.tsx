import type { ComponentChildren } from 'preact';

/** A table that scrolls by itself where it is too wide, by keys too. `of`: what is in it. */
export function Table(props: {
  readonly of: string;
  readonly columns: readonly ComponentChildren[];
  readonly children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={props.of} tabIndex={0}>
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
