/** Statuses whose responses have no body. */
const BODILESS = [101, 204, 205, 304];

interface WatchedReader {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly onOver: () => void;
}

/** A body that nothing can read any more frees its connection, as the body of fetch's own response does. */
const abandoned = new FinalizationRegistry<WatchedReader>(({ reader, onOver }) => {
  onOver();
  reader.cancel().catch(() => {
    // It broke off before: there is nothing left to free.
  });
});

/**
 * The same response; `onCut` is called if its body breaks off, and `onOver` when nothing more of it is read, however it
 * ended. A response that was paid for has arrived only when its body has ended.
 */
export function watchBody(response: Response, onCut: () => void, onOver: () => void = () => {}): Response {
  const { body, status, headers } = response;
  if (body === null || BODILESS.includes(status)) {
    onOver();
    return response;
  }
  const reader = body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const part = await reader.read().catch((error: unknown) => {
        onCut();
        onOver();
        throw error;
      });
      if (!part.done) return controller.enqueue(part.value);
      onOver();
      controller.close();
    },
    cancel: (reason) => {
      onOver();
      return reader.cancel(reason);
    },
  };
  // Reads nothing ahead: a pending read would keep it from being collected.
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  // Registers the source, not the stream: Chromium drops the object of a stream that it still reads, and makes another
  // on demand.
  abandoned.register(source, { reader, onOver });
  const watched = new Response(stream, { status, headers });
  // A constructed response lacks these, and refuses some status texts that a server may send.
  for (const name of ['statusText', 'url', 'redirected', 'type'] as const) {
    Object.defineProperty(watched, name, { value: response[name], enumerable: true });
  }
  return watched;
}
