import type { ComponentChildren } from 'preact';

/** Names and values, one below the other; a name without a value is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const shown = Object.entries(facts).filter(
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
