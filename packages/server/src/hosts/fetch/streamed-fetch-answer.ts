import { deferred } from '@avm402/core/deferred';
import type { HeldBody } from '../../response/held-body.ts';
import { markPaid } from '../../response/reply.ts';
import type { PaidStream } from '../../response/responder.ts';
import { type BodyCopy, DeliveredBody } from './delivered-body.ts';
import { announcedLength, type AnswerTaker, type FetchSender, wholeAnswer } from './fetch-sender.ts';

/** The `Response` of a handler that is already paid for. It streams, with the receipt. */
export class StreamedFetchAnswer implements PaidStream, AnswerTaker {
  readonly #responder: FetchSender;
  readonly #receipt: string;
  readonly #copy: HeldBody;
  readonly #outcome = deferred<Awaited<PaidStream['outcome']>>();
  readonly outcome = this.#outcome.promise;

  constructor(responder: FetchSender, receipt: string, copy: HeldBody) {
    this.#responder = responder;
    this.#receipt = receipt;
    this.#copy = copy;
  }

  take(response: Response): void {
    const all = this.#responder.headers.under(response.headers);
    const { status, ok, body: source } = wholeAnswer(response);
    const announced = announcedLength(response);
    const headers = all.kept();
    markPaid(all, this.#receipt);
    const cutOff = (): Error | undefined => this.#copy.cutOff(status, announced);
    const copy: BodyCopy = { add: (chunk) => void this.#copy.add(Buffer.from(chunk)), cutOff };
    const body = source === null ? undefined : new DeliveredBody(source, copy);
    const outcomeOf = (isDelivered: boolean): Awaited<PaidStream['outcome']> => {
      if (!isDelivered || !ok) return { isDelivered: false };
      const error = cutOff();
      if (error !== undefined) return { isDelivered: false, error };
      return { isDelivered, ...(this.#copy.isWhole && { answer: { status, headers, body: this.#copy.bytes } }) };
    };
    this.#outcome.resolve(this.#responder.sendFollowed(response, all, body).then(outcomeOf));
  }

  failed(error: unknown): void {
    const all = this.#responder.headers.under(new Headers());
    markPaid(all, this.#receipt);
    this.#responder.answer(new Response(null, { status: 500, headers: all.init }));
    this.#responder.close();
    this.#outcome.resolve({ isDelivered: false, error });
  }
}
