/** Bytes that are read so that a connection can be used again; a longer body costs more than a new connection. */
const WORTH_READING = 65_536;

/** Reads a body that nobody wants, behind what goes on, or gives it up if it is long. */
export function discardBody({ body }: Response): void {
  if (body === null) return;
  drain(body.getReader()).catch(() => {
    // The connection broke: there is nothing left to keep.
  });
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
