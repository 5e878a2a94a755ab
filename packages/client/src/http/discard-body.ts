/** Bytes that are read so that a connection can be used again; a longer body costs more than a new connection. */
const WORTH_READING = 65_536;
/** Time for it. A body that comes byte by byte would hold its connection, and the program, as long as its sender likes. */
const WORTH_WAITING_MS = 1_000;

/** Reads a body that nobody wants, behind what goes on, or gives it up if it is long or slow. */
export function discardBody({ body }: Response): void {
  if (body === null) return;
  const reader = body.getReader();
  // A connection that broke: there is nothing left to keep.
  const ignore = (): void => {};
  // What is being read then ends as if the body did.
  const timer = setTimeout(() => void reader.cancel().catch(ignore), WORTH_WAITING_MS);
  drain(reader)
    .catch(ignore)
    .finally(() => clearTimeout(timer));
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let length = 0;
  while (length <= WORTH_READING) {
    const part = await reader.read();
    if (part.done) return;
    length += part.value.length;
  }
  await reader.cancel();
}
