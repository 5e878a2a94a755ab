import type { ComponentChildren } from 'preact';

/** Names and values, one below the other; a name without a value is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const shown = Object.entries(facts).filter(([, value]) => [value].flat().some((part) => part || part === 0));
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
