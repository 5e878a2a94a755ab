import { encodePaymentResponseHeader } from '@avm402/core/headers';
import { errorCatalogue, isX402Error, X402Error } from '@avm402/core/errors';
import { errorReply, replyTo, troubleReply } from '../exchange/answers.ts';
import type { StoredResponse } from '../redemption/redemption.ts';
import { answerUncharged, handlerEnd, type HandlerEnd } from '../run/handler-end.ts';
import type { HeldAnswer } from '../response/held-answer.ts';
import type { Reply } from '../response/reply.ts';
import { storedResponse } from '../run/handler-end.ts';
import type { Channel } from './channel.ts';
import type { ChannelExchange } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import { channelReceipt, correctionOf } from './channel-receipt.ts';
import { meterAnswer } from '../run/charge.ts';
import type { AdmittedRequest, LiveChannel } from './live-channel.ts';
import { Meter } from '../run/charge.ts';
import { MeteredStream } from './metered-stream.ts';

/** A request that its channel has admitted. */
export interface AdmittedPayment {
  readonly payment: ChannelPayment;
  readonly live: LiveChannel;
  readonly admitted: AdmittedRequest;
  /** TxID of the deposit that came with it. */
  readonly transaction?: string;
}

/** Its handler's answer. */
interface Answer {
  readonly held: HeldAnswer;
  readonly meter: Meter;
  readonly stream: MeteredStream;
}

/** Runs the handler, holds what it answers, charges, and only then lets the answer go. A failed handler costs nothing. */
export async function runAdmitted(exchange: ChannelExchange, paid: AdmittedPayment): Promise<void> {
  const { responder, seller } = exchange;
  const { payment, admitted } = paid;
  const meter = new Meter(admitted.maximum);
  meterAnswer(responder.subject, meter);
  const stream = new MeteredStream(responder, {
    admitted,
    meter,
    receipt: (channel) => receiptOf(paid, channel, meter.taken),
  });
  const room = seller.heldBytes.share(payment.payer);
  const held = responder.hold({ maxBytes: seller.options.maxHeldBytes, room, streams: stream });
  try {
    report(exchange, paid, 'claimed');
    const { requirements, buyer } = payment;
    const ended = await exchange.trace.span('x402.handler', {}, () => {
      responder.run();
      return handlerEnd(exchange, held, { requirements, isAwaited: buyer !== undefined });
    });
    await finish(exchange, paid, { held, meter, stream }, ended);
  } catch (error) {
    admitted.release();
    throw error;
  } finally {
    if (responder.isClosed) room.free();
    else responder.onClose(() => room.free());
  }
}

async function finish(
  exchange: ChannelExchange,
  paid: AdmittedPayment,
  answer: Answer,
  ended: HandlerEnd,
): Promise<void> {
  if (ended.kind === 'streaming') return finishStream(exchange, paid, answer);
  const isLost = exchange.responder.isClosed && paid.payment.buyer === undefined;
  if (ended.kind !== 'ended' || isLost) return giveBack(exchange, paid, answer.held, ended);
  const { held, meter } = answer;
  const cost = meter.take();
  try {
    const kept = keptResponse(exchange, paid, held);
    const channel = await paid.admitted.end(cost, kept);
    report(exchange, paid, 'settled');
    release(exchange, held, receiptOf(paid, channel, cost));
  } catch (error) {
    exchange.report({ type: 'failed', txId: paid.payment.id, error });
    held.replace(await replyWithheld(exchange, paid, error));
  }
}

/** What is kept of an answer for a buyer who can come back for it. */
function keptResponse(
  exchange: ChannelExchange,
  { payment: { buyer, payer } }: AdmittedPayment,
  held: HeldAnswer,
): StoredResponse | undefined {
  const stored = buyer && storedResponse(exchange, held);
  return stored && exchange.channels.kept.keep(payer, stored);
}

/** Whatever stands around the response may throw as its head is written: it was paid for all the same. */
function release(exchange: ChannelExchange, held: HeldAnswer, receipt: string): void {
  try {
    held.release(receipt);
  } catch (error) {
    exchange.report({ type: 'failed', error });
    held.replace(troubleReply(500, { reason: 'response_failed' }));
  }
}

async function finishStream(exchange: ChannelExchange, paid: AdmittedPayment, answer: Answer): Promise<void> {
  const end = await answer.stream.over;
  if (end.kind !== 'failed') return report(exchange, paid, 'settled');
  exchange.report({ type: 'failed', txId: paid.payment.id, error: end.error });
  // Once a part has left, only a broken connection tells the client that the rest will not come.
  answer.held.replace(await replyWithheld(exchange, paid, end.error));
}

/** Nothing is charged, and the answer says what happened. */
function giveBack(exchange: ChannelExchange, paid: AdmittedPayment, held: HeldAnswer, ended: HandlerEnd): void {
  paid.admitted.release();
  report(exchange, paid, 'released');
  answerUncharged(exchange, held, ended, paid.payment.id);
}

/** The handler's answer is withheld: its charge is not on record. */
async function replyWithheld(exchange: ChannelExchange, { live }: AdmittedPayment, error: unknown): Promise<Reply> {
  if (!isX402Error(error)) return errorReply(new X402Error('unexpected_settle_error', { cause: error }));
  if (errorCatalogue[error.code].httpStatus !== 402) return errorReply(error);
  return replyTo(exchange, { reason: error.code, correction: correctionOf(live) });
}

function receiptOf({ payment, transaction }: AdmittedPayment, channel: Channel, cost: bigint): string {
  const { requirements } = payment;
  return encodePaymentResponseHeader(
    channelReceipt(channel, { requirements, cost, ...(transaction !== undefined && { transaction }) }),
  );
}

function report(
  exchange: ChannelExchange,
  { payment: { id: txId, payer, channelId } }: AdmittedPayment,
  type: 'claimed' | 'settled' | 'released',
): void {
  exchange.report({ type, txId, payer, channelId });
}
