import { parseArgs } from 'node:util';
import type { CreatedPayment } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { createPayingFetch } from '../paying-fetch.ts';
import { paymentOf, settlementOf } from '../payment-record.ts';
import { accountFrom, networksFrom } from './environment.ts';
import { finalWords } from './final-words.ts';
import type { Terminal } from './terminal.ts';

export const payHelp = `usage: avm402 pay URL [options]

Asks for URL, pays what it costs within the limit, and prints offer, payment, settlement and body.

  -X, --request METHOD   method (default GET, with -d POST)
  -H, --header LINE      a header, "Name: value"; may be repeated
  -d, --data TEXT        body of the request
      --max PRICE        most that may be paid (default $1)
      --json             one JSON object instead of text

environment: AVM_MNEMONIC or AVM_PRIVATE_KEY; ALGOD_URL, ALGOD_TOKEN (default: a development node on this machine)`;

interface Paid {
  offer?: PaymentRequirements;
  payment?: CreatedPayment;
}

/** `avm402 pay`. Resolves to the exit code: 0 when the answer is a success, else 1. */
export async function pay(args: readonly string[], terminal: Terminal): Promise<number> {
  const { url, init, max, json } = parsePayArguments(args);
  const paid: Paid = {};
  const account = accountFrom(terminal.environment);
  const payingFetch = createPayingFetch({
    account,
    networks: networksFrom(terminal.environment),
    ...(max !== undefined && { spend: { maxPerPayment: max } }),
    onPayment: (payment, offer) => {
      Object.assign(paid, { payment, offer });
      if (!json) showPayment(terminal, payment, offer, account.address);
    },
  });
  const response = await payingFetch(url, init);
  const body = await response.text();
  if (json) showJson(terminal, url, response, body, paid);
  else showAnswer(terminal, response, body);
  const words = finalWords(response);
  if (words === undefined) return 0;
  terminal.error(words);
  return 1;
}

function parsePayArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      request: { type: 'string', short: 'X' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
      max: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [url, ...rest] = positionals;
  if (url === undefined || rest.length > 0 || !URL.canParse(url)) {
    throw new X402Error('invalid_request', { message: `exactly one URL is needed\n\n${payHelp}` });
  }
  const { request, data, header = [], max, json = false } = values;
  const init: RequestInit = {
    method: request ?? (data === undefined ? 'GET' : 'POST'),
    headers: header.map(splitHeader),
    ...(data !== undefined && { body: data }),
  };
  return { url, init, max, json };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw new X402Error('invalid_request', { message: `not a header line: ${line}` });
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function showPayment(terminal: Terminal, payment: CreatedPayment, offer: PaymentRequirements, payer: string): void {
  terminal.print(`offer       ${offer.amount} atomic units of asset ${offer.asset} on ${offer.network}`);
  terminal.print(`            to ${offer.payTo}`);
  const { feePayer } = offer.extra;
  terminal.print(
    `payment     from ${payer}, ${typeof feePayer === 'string' ? `fee paid by ${feePayer}` : `fee ${payment.fee} µAlgo`}`,
  );
  for (const [index, txId] of payment.groupTxIds.entries()) {
    const mark = index === payment.payload.paymentIndex ? '  the payment' : '  fee payer, unsigned';
    terminal.print(`            group[${index}] ${txId}${mark}`);
  }
}

function showAnswer(terminal: Terminal, response: Response, body: string): void {
  const settlement = settlementOf(response);
  if (settlement?.success) {
    terminal.print(`settlement  ${settlement.transaction} confirmed, paid by ${settlement.payer}`);
  } else if (paymentOf(response)) {
    terminal.print(`settlement  ${settlement?.errorReason ?? 'none'}`);
  }
  terminal.print(`HTTP ${response.status}`);
  if (body !== '') terminal.print(body);
}

function showJson(terminal: Terminal, url: string, response: Response, body: string, { offer, payment }: Paid): void {
  const shown = payment && { txId: payment.txId, group: payment.groupTxIds, lastValid: Number(payment.lastValid) };
  const settlement = settlementOf(response);
  terminal.print(
    JSON.stringify({ url, status: response.status, offer, payment: shown, settlement, body: parsed(body) }, null, 2),
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
