import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { HandlerAnswer } from '../../response/held-answer.ts';
import type { Reply } from '../../response/reply.ts';
import { type Next, NodeResponder } from '../node/node-responder.ts';

/**
 * Answers by the Node response behind Fastify's reply. Takes the reply over where the seller answers instead of a
 * handler.
 */
export class FastifyResponder extends NodeResponder {
  readonly #reply: FastifyReply;

  constructor(reply: FastifyReply, next: Next) {
    super(reply.raw, next);
    this.#reply = reply;
  }

  /**
   * Node's response, with the headers that earlier hooks have set on the reply, until its head is written. The reply
   * still finds them there.
   */
  override get headers(): ServerResponse {
    const { raw } = this.#reply;
    if (raw.headersSent) return raw;
    for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
      if (value === undefined || raw.getHeader(name) === value) continue;
      this.#reply.removeHeader(name);
      raw.setHeader(name, value);
    }
    return raw;
  }

  override send(reply: Reply): void {
    this.#reply.hijack();
    super.send(reply);
  }

  override sendAgain(answer: HandlerAnswer, receipt: string): void {
    this.#reply.hijack();
    super.sendAgain(answer, receipt);
  }
}
