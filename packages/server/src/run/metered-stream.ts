import { deferred } from '@avm402/core/deferred';
import { X402Error } from '@avm402/core/errors';
import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { Responder } from '../response/responder.ts';
import type { StreamOutlet, StreamPart, StreamTaker } from '../response/stream-taker.ts';
import type { Meter } from './charge.ts';

/** Bytes that may wait for their charge before the handler is asked to pause. */
const MUCH_BYTES = 64 * 1024;

/**
 * How a stream is paid for, in atomic units. Both methods resolve once the charge is on record, with the receipt of all
 * so far.
 */
export interface StreamPayment {
  /** Charges a part, and goes on. */
  part(cost: bigint): Promise<SettleResponse>;
  /** Charges the last part. */
  end(cost: bigint): Promise<SettleResponse>;
}

/** An event stream that is charged while it runs: what the handler writes leaves once its charge is on record. */
export class MeteredStream implements StreamTaker {
  readonly #responder: Responder;
  readonly #payment: StreamPayment;
  readonly #meter: Meter;
  #outlet: StreamOutlet | undefined;
  #waiting: StreamPart[] = [];
  #waitingBytes = 0;
  /** Parts whose charge is being recorded. */
  #charging: StreamPart[] = [];
  #isPaused = false;
  #isEnded = false;
  #isOver = false;
  #isLeaving = false;
  #hasHead = false;
  readonly #over = deferred<void>();
  /** Resolves when nothing more of the stream will leave; rejects if it could not be charged. */
  readonly over = this.#over.promise;

  constructor(responder: Responder, payment: StreamPayment, meter: Meter) {
    this.#responder = responder;
    this.#payment = payment;
    this.#meter = meter;
    // A rejection that nobody awaits would end the process.
    this.over.catch(() => undefined);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  begin(outlet: StreamOutlet): void {
    this.#outlet = outlet;
    this.#meter.streams(() => outlet.cutOff(() => this.end({})));
    this.#responder.onClose(() => this.#left());
  }

  write(part: StreamPart): boolean {
    if (this.#isEnded || this.#isOver) return lost(part);
    this.#waiting.push(part);
    this.#waitingBytes += part.chunk === undefined ? 0 : Buffer.byteLength(part.chunk);
    void this.#leave();
    const goesOn = this.#waitingBytes <= MUCH_BYTES && this.#outlet?.isFull !== true;
    this.#isPaused ||= !goesOn;
    return goesOn;
  }

  end(part: StreamPart): void {
    if (this.#isEnded || this.#isOver) return;
    if (part.chunk !== undefined) this.#waiting.push(part);
    this.#isEnded = true;
    void this.#leave();
  }

  async #leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    try {
      while (!this.#isOver && (this.#waiting.length > 0 || this.#isEnded)) await this.#chargeAndRelease();
    } catch (error) {
      this.#stop();
      this.#over.reject(error);
    } finally {
      this.#isLeaving = false;
    }
  }

  async #chargeAndRelease(): Promise<void> {
    this.#charging = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const isLast = this.#isEnded;
    const receipt = await this.#charged(isLast);
    if (this.#isOver) return;
    if (receipt !== undefined && !this.#hasHead) {
      this.#hasHead = true;
      this.#outlet?.head(encodePaymentResponseHeader(receipt));
    }
    for (const part of this.#charging.splice(0)) {
      if (part.chunk !== undefined) this.#outlet?.write(part);
    }
    if (isLast) this.#end();
    else this.#resume();
  }

  /** Records what was charged since the last time. If that is nothing, it records nothing, except for the head. */
  #charged(isLast: boolean): Promise<SettleResponse> | undefined {
    const cost = this.#meter.take();
    if (isLast) return this.#payment.end(cost);
    return cost > 0n || !this.#hasHead ? this.#payment.part(cost) : undefined;
  }

  #resume(): void {
    if (!this.#isPaused || this.#outlet?.isFull === true) return;
    this.#isPaused = false;
    this.#outlet?.drain();
  }

  #end(): void {
    this.#isOver = true;
    this.#outlet?.end();
    this.#over.resolve();
  }

  /** The client has left. What it has got is charged; what it has not got is not. */
  #left(): void {
    this.#stop();
    this.#over.resolve();
  }

  #stop(): void {
    this.#isOver = true;
    for (const part of [...this.#charging.splice(0), ...this.#waiting.splice(0)]) lost(part);
  }
}

/** Tells a handler that a part will not leave, as a response does whose client has left. Returns false for `write`. */
function lost({ callback }: StreamPart): false {
  if (callback)
    process.nextTick(callback, new X402Error('response_not_settleable', { message: 'nothing more leaves' }));
  return false;
}
