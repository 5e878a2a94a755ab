/** A duration; below ten milliseconds, to the hundredth. */
export function Milliseconds({ of }: { readonly of: number }) {
  return <span class="amount">{of < 10 ? of.toFixed(2) : of.toFixed(0)} ms</span>;
}
