import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { DevelopmentAccount } from '@avm402/devnode';
import { paidHeaders, payFor, withNewId } from '../payment.ts';
import type { Market } from '../market.ts';

export type Headers = Readonly<Record<string, string>>;

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly offer: string | undefined;
  readonly receipt: SettleResponse | undefined;
}

/** Asks by GET, or by POST with a body. `Host` among the headers is sent as it is, which `fetch` would not do. */
export async function ask(url: string, headers: Headers = {}, body?: string): Promise<Answer> {
  const outgoing = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }).end(body);
  const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });
  const header = (name: string): string | undefined => {
    const value = incoming.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const receipt = header('payment-response');
  return {
    status: incoming.statusCode ?? 0,
    text: await text(incoming),
    offer: header('payment-required'),
    receipt: receipt === undefined ? undefined : decodePaymentResponseHeader(receipt),
  };
}

export interface Purchase {
  readonly headers?: Headers;
  readonly body?: string;
  readonly payer?: DevelopmentAccount;
  /** Whether the buyer can come back for the response. */
  readonly withId?: boolean;
}

/** The headers of a payment for what a request is offered; nothing is sent with it. */
export async function paymentFor(
  market: Market,
  url: string,
  { headers = {}, body, payer = market.node.accounts.payer, withId = true }: Purchase = {},
): Promise<Headers> {
  const { offer = '', status } = await ask(url, headers, body);
  if (status !== 402) throw new Error(`HTTP ${status} without an offer`);
  const required = decodePaymentRequiredHeader(offer);
  const payment = await payFor(required, payer, market.node.url);
  return paidHeaders(withId ? withNewId(payment, required.extensions) : payment);
}

/** Why a request was refused. */
export function reasonOf({ offer, text: body }: Answer): string {
  const { error } = offer === undefined ? (JSON.parse(body) as { error: string }) : decodePaymentRequiredHeader(offer);
  return error ?? '';
}
