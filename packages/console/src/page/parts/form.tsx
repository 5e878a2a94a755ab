import type { ComponentChildren, InputHTMLAttributes } from 'preact';

/** A form; gives the text of each field, without spaces around it. */
export function Form(props: {
  readonly role?: 'search';
  readonly onSubmit: (textOf: (field: string) => string) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      role={props.role}
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        props.onSubmit((field) => {
          const value = given.get(field);
          // The forms have no files.
          return typeof value === 'string' ? value.trim() : '';
        });
      }}
    >
      {props.children}
    </form>
  );
}

/** A choice of one of some values. */
export function Choice(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly string[];
  readonly chosen?: string | undefined;
}) {
  return (
    <label>
      {props.label}
      <select name={props.name}>
        {props.options.map((option) => (
          <option selected={option === props.chosen}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** A field for a line of text. */
export function TextField({ label, ...input }: { readonly label: string } & InputHTMLAttributes) {
  return (
    <label>
      {label}
      <input spellcheck={false} {...input} />
    </label>
  );
}
