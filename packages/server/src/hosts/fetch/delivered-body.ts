import { deferred } from '@avm402/core/deferred';
import { LEFT_GRACE_MS } from '../../response/responder.ts';

/** Takes note of a body as it is sent. */
export interface BodyCopy {
  add(chunk: Uint8Array): void;
  /** Why what has ended is not the whole body, if so: then its connection is broken off. */
  cutOff(): Error | undefined;
}

/** Most bytes that are sent at a time: how many parts a sender has taken shows how far its client has read. */
const PART_BYTES = 64 * 1024;

type Reading = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;

/**
 * Follows a body on its way to the client. All of it has been delivered when its sender has taken the last part and
 * asked for more, or when the client has left and no more parts were to come.
 */
export class DeliveredBody {
  /** The parts of the body, each provided when it is asked for. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #outcome = deferred<boolean>();
  /** Resolves to whether all of it was delivered. */
  readonly outcome = this.#outcome.promise;
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  readonly #copy: BodyCopy | undefined;
  #rest: Uint8Array = new Uint8Array();
  #reading: Reading | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #hasSent = false;
  #hasLeft = false;

  constructor(source: ReadableStream<Uint8Array>, copy?: BodyCopy) {
    this.#source = source.getReader();
    this.#copy = copy;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** The client has left. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    void this.#isAtItsEnd()
      .catch(() => false)
      .then((isAtItsEnd) => {
        this.#outcome.resolve(isAtItsEnd);
        return this.#source.cancel();
      })
      .catch(() => undefined);
  }

  /** Breaks the body off at this end. */
  destroy(): void {
    this.#outcome.resolve(false);
    if (!this.#hasLeft) this.#controller?.error(new Error('the answer was broken off'));
    this.#hasLeft = true;
    this.#source.cancel().catch(() => undefined);
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const { done, value } = await this.#read();
      if (this.#hasLeft) return;
      if (done) {
        this.#outcome.resolve(true);
        const cutOff = this.#copy?.cutOff();
        return cutOff === undefined ? controller.close() : controller.error(cutOff);
      }
      this.#copy?.add(value);
      this.#hasSent ||= value.length > 0;
      controller.enqueue(value);
    } catch (error) {
      this.#outcome.resolve(false);
      if (!this.#hasLeft) controller.error(error);
    }
  }

  #read(): Reading {
    this.#reading = this.#nextPart().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #nextPart(): Reading {
    if (this.#rest.length === 0) {
      const next = await this.#source.read();
      if (next.done) return next;
      this.#rest = next.value;
    }
    const value = this.#rest.subarray(0, PART_BYTES);
    this.#rest = this.#rest.subarray(PART_BYTES);
    return { done: false, value };
  }

  /** Whether nothing follows what was sent. A handler that writes nothing more in time counts as finished, if it began. */
  async #isAtItsEnd(): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const grace = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(this.#hasSent), LEFT_GRACE_MS);
    });
    try {
      return await Promise.race([this.#hasEnded(), grace]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #hasEnded(): Promise<boolean> {
    let next = await (this.#reading ?? this.#read());
    while (!next.done && next.value.length === 0) next = await this.#read();
    return next.done;
  }
}

/** Bytes as a body. */
export function bodyOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
