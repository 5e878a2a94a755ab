/** A duration; below ten milliseconds to the hundredth, if it was measured so. */
export function Milliseconds({ of }: { readonly of: number }) {
  return <span class="amount">{of < 10 && !Number.isInteger(of) ? of.toFixed(2) : of.toFixed(0)} ms</span>;
}
