/** State that can be restored. */
export interface Markable {
  /** Remembers the present state. The returned function restores it and can be called repeatedly. */
  mark(): () => void;
}

/** Marks several parts together; they are restored in their order. */
export function markAll(parts: readonly Markable[]): () => void {
  const putBack = parts.map((part) => part.mark());
  return () => {
    for (const each of putBack) each();
  };
}
