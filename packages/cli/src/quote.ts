import { createPayer, type Quote } from '@avm402/client';
import { command, parseUrl } from './command/command.ts';
import { accountOf, ENVIRONMENT_HELP } from './options/environment.ts';
import { REQUEST_OPTIONS, requestHelp, requestInit } from './options/http-request.ts';
import { LIMIT_HELP, LIMIT_OPTIONS, spendLimits } from './options/spend-limits.ts';
import { NO_PAYER, payerWorld } from './options/payer-world.ts';
import { EXIT } from './words/exit-code.ts';
import { quoteLines, shownOffer } from './words/show.ts';

const help = `Usage: avm402 quote URL [options]

Requests URL and says what it would cost, without paying: the offer that "pay" would choose within the limits, and the others.

${requestHelp()}

${LIMIT_HELP}

Output
      --json              one JSON object instead of text

${ENVIRONMENT_HELP}

Exit codes
  0  one of the offers would be paid
  1  it is free, or no offer is acceptable
  2  wrong usage`;

export const quote = command({
  summary: 'say what a URL costs, without paying',
  help,
  options: { ...REQUEST_OPTIONS, ...LIMIT_OPTIONS, json: { type: 'boolean' } },
  positionals: ['URL'],
  async run(values, terminal, named) {
    const url = parseUrl(named);
    const account = accountOf(terminal.environment);
    const payer = createPayer({
      ...(account ? { account } : { client: NO_PAYER }),
      spend: spendLimits(values),
      ...payerWorld(terminal),
    });
    const quoted = await payer.quote(url, await requestInit(values, terminal));
    const exitCode = quoted.chosen ? EXIT.done : EXIT.failed;
    return { json: shown(quoted), lines: quoteLines(quoted), exitCode };
  },
});

function shown({ chosen, others, refused }: Quote): Record<string, unknown> {
  const offers = [...(chosen ? [chosen] : []), ...others, ...refused].map((judged) => ({
    ...judged.requirements,
    ...('refusal' in judged && { refusal: judged.refusal.reason }),
  }));
  return { ...(chosen && { chosen: shownOffer(chosen) }), offers };
}
