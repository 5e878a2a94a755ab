/** The most bytes to read so that a connection can be used again. A longer body costs more than a new connection. */
const WORTH_READING = 65_536;
/**
 * Without a limit, a body that arrives byte by byte would hold its connection, and the program, as long as its sender
 * likes.
 */
const WORTH_WAITING_MS = 1_000;

/** Reads an unwanted body in the background; cancels it if it is long or slow. */
export function discardBody({ body }: Response): void {
  if (body === null) return;
  const reader = body.getReader();
  // The connection broke: there is nothing left to keep.
  const ignore = (): void => {};
  // A pending read then ends as if the body had ended.
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
