/** Part of a body: bytes, or text in UTF-8. Text stays text because Node sends short texts together with the head. */
export type Chunk = Buffer | string;

/** The bytes of a body. */
export function joined(chunks: readonly Chunk[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}
