/** State that can be put back. */
export interface Markable {
  /** Remembers what is there. What comes back puts it back, as often as it is called. */
  mark(): () => void;
}

/** One mark of several parts, which are put back in their order. */
export function markAll(parts: readonly Markable[]): () => void {
  const putBack = parts.map((part) => part.mark());
  return () => {
    for (const each of putBack) each();
  };
}
