import { X402Error } from '@avm402/core/errors';
import type { ServerResponse } from 'node:http';
import { deferred } from '@avm402/core/deferred';
import { OriginalMethods } from './original-methods.ts';
import { ResponseHead } from './response-head.ts';
import { partOf, writeReply } from './response-writes.ts';
import {
  type HandlerAnswer,
  type HandlerOutcome,
  type HeldAnswer,
  type HoldOptions,
  isEventStream,
  REPRESENTATION_HEADERS,
  unholdableHead,
} from '../../response/held-answer.ts';
import { HeldBody } from '../../response/held-body.ts';
import { type HeaderValue, markPaid, type Reply } from '../../response/reply.ts';
import type { StreamOutlet, StreamPart, StreamTaker } from '../../response/stream-taker.ts';

/**
 * What happens to the handler's writes: kept, passed on to the client, ignored because another reply was sent, or
 * streamed.
 */
type Mode = 'holding' | 'passing' | 'discarding' | 'streaming';

const HELD = Symbol('held');

/** A response whose methods are replaced. */
interface BeingHeld {
  readonly [HELD]: HeldResponse;
}

const HEADER_METHODS = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader'] as const;

/**
 * Holds a handler's response until it is paid for. Replaces every method by which Node's response can send something,
 * so `writeHead`, `write(callback)`, `end(callback)`, `pipe` and `flushHeaders` work as usual. Interim responses (1xx)
 * and trailers are dropped, because they would leave before or after the response. A response other than 2xx is not
 * charged and passes at once, without headers that describe the paid one.
 */
export class HeldResponse implements HeldAnswer {
  readonly #response: ServerResponse;
  readonly #maxBytes: number;
  readonly #streams: StreamTaker | undefined;
  readonly #headersBefore: ReturnType<ServerResponse['getHeaders']>;
  readonly #original: OriginalMethods;
  readonly #body: HeldBody;
  #mode: Mode = 'holding';
  /** The head as the handler wrote it. */
  #head: ResponseHead | undefined;
  /** The length that the head announces; absent if the body is encoded. */
  #announced: HeaderValue;
  /** Whether Node is about to write the head itself and knows the length. */
  #isImplicit = false;
  #hasEnded = false;
  readonly #outcome = deferred<HandlerOutcome>();
  readonly outcome = this.#outcome.promise;

  constructor(response: ServerResponse, { maxBytes, share, streams }: HoldOptions) {
    this.#response = response;
    this.#streams = streams;
    this.#maxBytes = maxBytes;
    this.#body = new HeldBody({ maxBytes, share });
    this.#headersBefore = response.getHeaders();
    this.#original = new OriginalMethods(response);
    Object.assign(response, { [HELD]: this, ...HeldResponse.#standIns });
    Object.defineProperties(response, HeldResponse.#reports);
  }

  get answer(): HandlerAnswer {
    const { status, kept } = this.#head ?? new ResponseHead(this.#response, []);
    return { status, headers: kept, body: this.#body.bytes };
  }

  get size(): number {
    return this.#body.size;
  }

  release(receipt: string): void {
    this.#mode = 'passing';
    this.#head?.restore();
    markPaid(this.#response, receipt);
    this.#response.removeHeader('Trailer');
    if (this.#response.statusCode === 204) this.#body.drop();
    else if (!this.#response.hasHeader('transfer-encoding')) this.#response.setHeader('Content-Length', this.size);
    const { parts } = this.#body;
    for (const part of parts.slice(0, -1)) this.#original.call('write', [part]);
    this.#original.call('end', parts.slice(-1));
  }

  replace(reply: Reply): void {
    this.#mode = 'passing';
    this.#body.drop();
    if (this.#response.headersSent) return void this.#response.destroy();
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headersBefore)) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    // Middleware that wrapped writeHead after us would add the handler's headers.
    this.#original.restore('writeHead');
    this.#response.statusMessage = '';
    this.#send(reply);
    this.#mode = 'discarding';
    this.#ignoreHeaders();
  }

  /** Other middleware may throw as the head is written; the reply is then sent without that middleware. */
  #send(reply: Reply): void {
    try {
      writeReply(this.#response, reply, (body) => void this.#original.call('end', [body]));
    } catch {
      this.#original.remove();
      writeReply(this.#response, reply);
    }
  }

  discard(): void {
    this.#mode = 'discarding';
    this.#body.drop();
  }

  /**
   * Shared by all responses: closures would give each response its own hidden class and slow down everything that Node
   * does with it.
   */
  static readonly #standIns = {
    writeHead(this: BeingHeld, ...args: unknown[]): unknown {
      return this[HELD].#onWriteHead(args);
    },
    write(this: BeingHeld, ...args: unknown[]): unknown {
      return this[HELD].#onWrite(args);
    },
    end(this: BeingHeld, ...args: unknown[]): unknown {
      return this[HELD].#onEnd(args);
    },
    flushHeaders(this: BeingHeld): void {
      this[HELD].#onFlushHeaders();
    },
    writeHeader(this: BeingHeld, ...args: unknown[]): unknown {
      return this[HELD].#onWriteHead(args);
    },
    writeInformation(this: BeingHeld, ...args: unknown[]): boolean {
      return dropped(args);
    },
    writeEarlyHints(this: BeingHeld, ...args: unknown[]): void {
      dropped(args);
    },
    writeProcessing(this: BeingHeld, ...args: unknown[]): void {
      dropped(args);
    },
    addTrailers(this: BeingHeld): void {},
  };

  /** While the response is held, these tell the handler what an ordinary response would. */
  static readonly #reports = {
    headersSent: {
      configurable: true,
      get(this: BeingHeld): unknown {
        return this[HELD].#report('headersSent', this[HELD].#head !== undefined);
      },
    },
    writableEnded: {
      configurable: true,
      get(this: BeingHeld): unknown {
        return this[HELD].#report('writableEnded', this[HELD].#hasEnded);
      },
    },
  };

  #report(property: 'headersSent' | 'writableEnded', whileHeld: boolean): unknown {
    if (this.#mode === 'holding') return whileHeld;
    if (this.#mode === 'streaming') return property === 'headersSent' || this.#streams?.isEnded;
    const prototype: unknown = Object.getPrototypeOf(this.#response);
    return typeof prototype === 'object' && prototype !== null
      ? Reflect.get(prototype, property, this.#response)
      : undefined;
  }

  #onWriteHead(args: readonly unknown[]): unknown {
    if (this.#mode === 'discarding') return this.#response;
    if (this.#mode === 'passing') return this.#original.call('writeHead', args);
    if (this.#head !== undefined) return this.#response;
    this.#takeHead(args);
    return this.#response;
  }

  #takeHead(args: readonly unknown[]): void {
    this.#head = new ResponseHead(this.#response, args);
    const { statusCode } = this.#response;
    if (statusCode < 200 || statusCode > 299) return this.#pass();
    const [type, length] = ['content-type', 'content-length'].map((name) => this.#response.getHeader(name));
    if (!this.#response.hasHeader('content-encoding')) this.#announced = length;
    if (this.#streams !== undefined && isEventStream(type)) return this.#stream(this.#streams);
    const error = unholdableHead(type, length, { maxBytes: this.#maxBytes });
    if (error !== undefined) this.#refuse(error);
  }

  #stream(streams: StreamTaker): void {
    this.#mode = 'streaming';
    this.#response.removeHeader('Content-Length');
    streams.begin(new ResponseOutlet(this.#response, this.#original));
    this.#outcome.resolve({ kind: 'streaming' });
  }

  #pass(): void {
    this.#mode = 'passing';
    this.#outcome.resolve({ kind: 'passed' });
    for (const name of REPRESENTATION_HEADERS) this.#response.removeHeader(name);
    if (!this.#isImplicit) this.#original.call('writeHead', [this.#response.statusCode]);
  }

  #onWrite(args: readonly unknown[]): unknown {
    this.#commitHead();
    if (this.#mode === 'passing') return this.#original.call('write', args);
    const part = partOf(args);
    const { chunk, callback } = part;
    if (this.#mode === 'discarding' || this.#hasEnded) return this.#swallow(callback);
    if (this.#mode === 'streaming') return this.#streams?.write(part);
    const error = chunk === undefined ? undefined : this.#body.add(chunk);
    if (error !== undefined) this.#refuse(error);
    if (callback !== undefined) process.nextTick(callback);
    return this.#mode === 'holding';
  }

  #onEnd(args: readonly unknown[]): unknown {
    this.#commitHead();
    if (this.#mode === 'passing') return this.#original.call('end', args);
    if (this.#mode === 'discarding' || this.#hasEnded) return this.#response;
    const { chunk, callback } = partOf(args);
    if (callback !== undefined) this.#response.once('finish', callback);
    this.#hasEnded = true;
    if (this.#mode === 'streaming') {
      this.#streams?.end(chunk === undefined ? {} : { chunk });
      return this.#response;
    }
    const tooLarge = chunk === undefined ? undefined : this.#body.add(chunk);
    const error = tooLarge ?? this.#body.cutOff(this.#response.statusCode, this.#announced);
    if (error !== undefined) this.#refuse(error);
    this.#outcome.resolve({ kind: 'ended' });
    return this.#response;
  }

  #onFlushHeaders(): void {
    this.#commitHead();
    if (this.#mode === 'passing') this.#original.call('flushHeaders', []);
  }

  /** Calls `response.writeHead`, as Node does before the first byte, because other middleware may have wrapped it. */
  #commitHead(): void {
    if (this.#mode !== 'holding' || this.#head !== undefined) return;
    this.#isImplicit = true;
    this.#response.writeHead(this.#response.statusCode);
    this.#isImplicit = false;
  }

  #refuse(error: X402Error): void {
    this.#mode = 'discarding';
    this.#body.drop();
    this.#outcome.resolve({ kind: 'unholdable', error });
  }

  /** Behaves like a response whose client has left. */
  #swallow(callback: ((error?: Error) => void) | undefined): boolean {
    if (callback !== undefined) process.nextTick(callback, new X402Error('response_not_settleable'));
    return false;
  }

  /** Ignores header changes: once the response was sent, they would throw in the handler. */
  #ignoreHeaders(): void {
    const ignore = (): ServerResponse => this.#response;
    Object.assign(this.#response, Object.fromEntries(HEADER_METHODS.map((method) => [method, ignore])));
    Object.assign(this.#response, { writeHead: ignore });
  }
}

/** Sends nothing, but calls back as if it had. */
function dropped(args: readonly unknown[]): boolean {
  const callback = args.find((argument) => typeof argument === 'function');
  if (callback !== undefined) process.nextTick(callback);
  return true;
}

/** Carries an event stream through Node's response while its methods are replaced. */
class ResponseOutlet implements StreamOutlet {
  readonly #response: ServerResponse;
  readonly #original: OriginalMethods;

  constructor(response: ServerResponse, original: OriginalMethods) {
    this.#response = response;
    this.#original = original;
  }

  head(receipt: string): void {
    markPaid(this.#response, receipt);
    this.#original.call('writeHead', [this.#response.statusCode]);
  }

  write({ chunk, callback }: StreamPart): void {
    this.#original.call('write', callback ? [chunk, callback] : [chunk]);
  }

  /** Node's response emits `drain` itself once it is not. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  end(): void {
    this.#original.call('end', []);
  }

  cutOff(end: () => void): void {
    end();
  }

  drain(): void {
    this.#response.emit('drain');
  }
}
