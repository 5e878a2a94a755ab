/** Statuses whose responses have no body. */
const BODILESS = [101, 204, 205, 304];

/** A body that nobody can read any more lets go of its connection, as that of fetch's own response does. */
const abandoned = new FinalizationRegistry<ReadableStreamDefaultReader<Uint8Array>>((reader) => {
  reader.cancel().catch(() => {
    // It broke off before: there is nothing left to let go of.
  });
});

/**
 * The same response; `onCut` is told if its body breaks off before its end. Until then nobody can say that what was
 * paid for has arrived.
 */
export function watchBody(response: Response, onCut: () => void): Response {
  const { body, status, headers } = response;
  if (body === null || BODILESS.includes(status)) return response;
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        onCut();
        throw error;
      });
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    },
    cancel: (reason) => reader.cancel(reason),
  };
  // Reads only when it is read: a read ahead that waits would keep it from ever being collected.
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  abandoned.register(stream, reader);
  const watched = new Response(stream, { status, headers });
  // A constructed response does not know where it came from, and refuses a status text that came all the same.
  for (const name of ['statusText', 'url', 'redirected', 'type'] as const) {
    Object.defineProperty(watched, name, { value: response[name], enumerable: true });
  }
  return watched;
}
