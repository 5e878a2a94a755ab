import type { ComponentChildren } from 'preact';

/** Names and values, one below the other; a name without a value is left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  const shown = Object.entries(of).filter(
    ([, value]) => value !== undefined && value !== false && value !== '' && !isEmptyList(value),
  );
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function isEmptyList(value: ComponentChildren): boolean {
  return Array.isArray(value) && value.length === 0;
}
