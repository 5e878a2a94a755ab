import { SpendPolicy } from '../spend-policy.ts';
import { Spending } from '../spending.ts';
import { chooseOffer, type ChosenOffer } from '../choose-offer.ts';
import { discardBody } from '../discard-body.ts';
import { algodOfNetworks } from '../network-access.ts';
import { parseOffer } from '../offer.ts';
import { isX402Error, X402Error } from '@avm402/core/errors';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseArguments, parseUrl, type Command } from './command.ts';
import { accountOf, ENVIRONMENT_HELP, networksOf } from './environment.ts';
import { EXIT } from './exit-code.ts';
import { REQUEST_HELP, REQUEST_OPTIONS, requestInit } from './http-request.ts';
import { offerLines, printable, shownOffer } from './show.ts';
import { LIMIT_HELP, LIMIT_OPTIONS, spendLimits } from './spend-limits.ts';
import type { Terminal } from './terminal.ts';

const help = `Usage: avm402 quote URL [options]

Asks for URL and says what it would cost, without paying: every offer, and which one would be paid within the limits.

${REQUEST_HELP}

${LIMIT_HELP}

Output
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}

Exit codes
  0  one of the offers would be paid
  1  nothing is asked for, or no offer is acceptable
  2  wrong usage`;

const OPTIONS = { ...REQUEST_OPTIONS, ...LIMIT_OPTIONS, json: { type: 'boolean' } } as const;

/** One entry of the offer, and why it would not be paid. */
interface Judged {
  readonly requirements: PaymentRequirements;
  readonly refusal: string | undefined;
}

interface Quote {
  readonly offers: readonly Judged[];
  readonly chosen: ChosenOffer | undefined;
}

export const quote: Command = {
  summary: 'say what a URL costs, without paying',
  help,
  async run(args, terminal) {
    const { values, positionals } = parseArguments(args, OPTIONS, ['URL']);
    const url = parseUrl(positionals[0] ?? '');
    const response = await terminal.fetch(url, await requestInit(values, terminal));
    discardBody(response);
    const required = offerIn(response);
    const made = judge(required, new URL(response.url), new SpendPolicy(spendLimits(values)), terminal);
    if (values.json === true) terminal.print(JSON.stringify(shownQuote(made), undefined, 2));
    else for (const line of quoteLines(made)) terminal.print(line);
    return made.chosen ? EXIT.done : EXIT.failed;
  },
};

function offerIn(response: Response): PaymentRequired {
  const offer = parseOffer(response);
  if (offer.kind === 'offer') return offer.required;
  if (offer.kind === 'malformed') throw offer.problem;
  throw new X402Error('no_acceptable_offer', {
    message: `${response.url} answered ${response.status} and asks for no payment`,
  });
}

function judge(required: PaymentRequired, url: URL, policy: SpendPolicy, terminal: Terminal): Quote {
  const algodOf = algodOfNetworks(networksOf(terminal.environment));
  const spending = new Spending({ policy, algodOf, now: terminal.now });
  const options = { policy, spending, algodOf, payer: accountOf(terminal.environment)?.address };
  const choose = (accepts: PaymentRequirements[]): ChosenOffer => chooseOffer({ ...required, accepts }, url, options);
  const offers = required.accepts.map((requirements) => ({
    requirements,
    refusal: whyNot(() => choose([requirements])),
  }));
  return { offers, chosen: offers.some(({ refusal }) => refusal === undefined) ? choose(required.accepts) : undefined };
}

function whyNot(choose: () => unknown): string | undefined {
  try {
    choose();
    return undefined;
  } catch (error) {
    if (isX402Error(error)) return error.message;
    throw error;
  }
}

function quoteLines({ offers, chosen }: Quote): string[] {
  const refused = offers.flatMap(({ requirements, refusal }) =>
    refusal === undefined || requirements === chosen?.requirements
      ? []
      : [
          `not paid    ${requirements.amount} of ${printable(requirements.asset)} on ${requirements.network}: ${printable(refusal)}`,
        ],
  );
  return [...(chosen ? offerLines(chosen) : []), ...refused, ...(chosen ? [] : ['no offer would be paid'])];
}

function shownQuote({ offers, chosen }: Quote): Record<string, unknown> {
  const shown = offers.map(({ requirements, refusal }) => ({
    ...requirements,
    ...(refusal !== undefined && { refusal }),
  }));
  return { ...(chosen && { chosen: shownOffer(chosen) }), offers: shown };
}
