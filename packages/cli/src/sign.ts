import { createPayer } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, decodePaymentSignatureHeader } from '@avm402/core/headers';
import { parsePaymentRequired, type PaymentRequired } from '@avm402/core/payment-required';
import { command, invalidArguments } from './command/command.ts';
import { ENVIRONMENT_HELP, requireAccount } from './options/environment.ts';
import { LIMIT_HELP, LIMIT_OPTIONS, spendLimits } from './options/spend-limits.ts';
import { payerWorld } from './options/payer-world.ts';
import { printableJson } from './words/printable.ts';

const help = `Usage: avm402 sign [options] < offer.json

Reads an offer (the PAYMENT-REQUIRED header, raw or decoded) from stdin, signs a payment for it within the limits, and
prints the payment as JSON. Sends nothing. The PAYMENT-SIGNATURE header is the base64 of the output. Anyone who has it
can submit the payment: treat it like money.

${LIMIT_HELP}

Payment
      --from ADDRESS      the account to pay from, if it is rekeyed to the key

Output
      --header            print the PAYMENT-SIGNATURE header's value

${ENVIRONMENT_HELP}`;

export const sign = command({
  summary: 'sign a payment for an offer on stdin, and print it',
  help,
  options: { ...LIMIT_OPTIONS, from: { type: 'string' }, header: { type: 'boolean' } },
  positionals: [],
  async run(values, terminal) {
    const required = parseOffer((await terminal.input()).toString());
    const payer = createPayer({
      account: requireAccount(terminal.environment, values.from),
      // The caller decides where the payment goes.
      spend: { ...spendLimits(values), allowHttp: true },
      ...payerWorld(terminal),
    });
    const header = await payer.sign(required, terminal.interrupted());
    return { lines: [values.header === true ? header : printableJson(decodePaymentSignatureHeader(header))] };
  },
});

function parseOffer(input: string): PaymentRequired {
  const text = input.trim();
  if (text === '') {
    const example = "curl -sD - URL | sed -n 's/^payment-required: //Ip' | avm402 sign";
    throw invalidArguments(`stdin is empty: pipe an offer in, for example: ${example}`);
  }
  if (!text.startsWith('{')) return decodePaymentRequiredHeader(text);
  try {
    return parsePaymentRequired(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new X402Error('invalid_payment_required', { message: 'stdin is not JSON' });
    throw cause;
  }
}
