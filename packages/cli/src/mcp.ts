import { X402Error } from '@avm402/core/errors';
import { createPayer, type SpendOptions, USD_DECIMALS } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { balanceOf } from './balance.ts';
import { amountValue, parseArguments, type Command } from './command.ts';
import { algodOf, ENVIRONMENT_HELP, payerWorld } from './environment.ts';
import { payingAccount } from './paying-account.ts';
import { BUDGET_HELP, BUDGET_OPTIONS, LIMIT_HELP, LIMIT_OPTIONS, spendBudgets, spendLimits } from './spend-limits.ts';
import { EXIT } from './words/exit-code.ts';

const DEFAULTS = { max: '$1', perDay: '$5', confirmAbove: '$0.10' };

const help = `Usage: avm402 mcp --journal FILE [options]

An MCP server on stdin and stdout. It gives an agent the tools quote, pay, balance and history, to pay any x402 URL
within limits that only this command line sets. An MCP host starts it with

  npx -y avm402 mcp --journal FILE

${LIMIT_HELP}
      --origin ORIGIN     pay only this origin, such as https://api.example.com; may be repeated
      --confirm-above PRICE  ask the person at the host before a payment above PRICE (default ${DEFAULTS.confirmAbove}); where
                          the host can't ask, it is refused

${BUDGET_HELP}
                          (--per-day is ${DEFAULTS.perDay} unless it is set)

      --from ADDRESS      the account to pay from, if it is rekeyed to the key

${ENVIRONMENT_HELP}`;

const OPTIONS = {
  ...LIMIT_OPTIONS,
  ...BUDGET_OPTIONS,
  max: { type: 'string', default: DEFAULTS.max },
  'per-day': { type: 'string', default: DEFAULTS.perDay },
  'confirm-above': { type: 'string', default: DEFAULTS.confirmAbove },
  origin: { type: 'string', multiple: true },
  from: { type: 'string' },
} as const;

export const mcp: Command = {
  summary: 'let an agent pay within limits: an MCP server on stdio',
  help,
  async run(args, terminal) {
    const { values } = parseArguments(args, OPTIONS, []);
    const { journal: file, 'confirm-above': price, origin: origins } = values;
    if (file === undefined) {
      const message = '--journal FILE is missing: without it, each start would have a new budget';
      throw new X402Error('invalid_arguments', { message });
    }
    const spend: SpendOptions = { ...spendLimits(values), ...spendBudgets(values), ...(origins && { origins }) };
    const format = { decimals: USD_DECIMALS, example: '$0.05' };
    const confirmAbove = { price, amount: amountValue('--confirm-above', price, format) };
    // Loaded here, because no other command needs it.
    const { serveStdio } = await import('./mcp/serve-stdio.ts');
    const account = await payingAccount(terminal, values.from);
    const journal = await openFileJournal(file, { keepProofs: values['no-proofs'] !== true });
    try {
      await serveStdio({
        instructions: `Pays HTTP resources that answer 402 (x402). ${limitsIn(spend)} Above ${price} a person is asked.`,
        confirmAbove,
        journal,
        balance: () => balanceOf(account.address, algodOf(terminal.environment)),
        payerThatAsks: (onOffer) => createPayer({ account, spend, journal, onOffer, ...payerWorld(terminal) }),
        interrupted: terminal.interrupted,
      });
      return EXIT.done;
    } finally {
      await journal.close();
    }
  },
};

function limitsIn({ perPayment, perHour, perDay, perOrigin, origins }: SpendOptions): string {
  const limits = [
    `at most ${perPayment} a payment`,
    ...(perHour === undefined ? [] : [`${perHour} an hour`]),
    `${perDay} a day`,
    ...(perOrigin === undefined ? [] : [`${perOrigin} a day at one origin`]),
    ...(origins ? [`only at ${origins.join(', ')}`] : []),
  ];
  return `Limits: ${limits.join(', ')}.`;
}
