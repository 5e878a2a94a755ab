import { usdcOn } from '@avm402/avm/exact/client';
import { type ChannelOptions, type ChosenOffer, createPayer, type SpendOptions, USD_DECIMALS } from '@avm402/client';
import { amountAsText } from '@avm402/client/diagnosis';
import { openFileJournal } from '@avm402/client/file-journal';
import { type KnownMandate, MandateWatch } from '@avm402/client/mandate';
import { parsePrice } from '@avm402/core/price';
import { balanceOf } from './balance.ts';
import { command, invalidArguments } from './command/command.ts';
import { algodOf, ENVIRONMENT_HELP } from './options/environment.ts';
import { limitInWords, timeOf } from './mandate/mandate-words.ts';
import type { MandateAllowance } from './mcp/account-tools.ts';
import type { ConfirmationLimit } from './mcp/confirmation.ts';
import { requireFunds } from './node/funds.ts';
import { CHANNEL_FILE_HELP, CHANNEL_FILE_OPTION, withChannelFile } from './options/channel-file.ts';
import { withHeldFile } from './options/held-file.ts';
import {
  BUDGET_HELP,
  BUDGET_OPTIONS,
  dollarValue,
  LIMIT_HELP,
  LIMIT_OPTIONS,
  spendBudgets,
  spendLimits,
} from './options/spend-limits.ts';
import { payerWorld } from './options/payer-world.ts';
import { MANDATE_HELP, MANDATE_OPTION, type PayingParty, payingParty } from './pay/paying-party.ts';
import type { Terminal } from './command/terminal.ts';

const DEFAULTS = { max: '$1', perDay: '$5', confirmAbove: '$0.10' };

const help = `Usage: avm402 mcp --journal FILE [options]

An MCP server on stdin and stdout. It gives an agent the tools quote, pay, balance, budget and history, to pay any x402
URL within limits that only this command line sets, and that the chain enforces if a mandate pays. An MCP host starts it
with

  npx -y avm402 mcp --journal FILE

${LIMIT_HELP}
      --origin ORIGIN     pay only this origin, such as https://api.example.com; may be repeated. Other URLs are
                          requested but never paid
      --confirm-above PRICE  ask the person at the host before a payment above PRICE (default ${DEFAULTS.confirmAbove}); where
                          the host can't ask, it is refused

${BUDGET_HELP}
                          (--per-day is ${DEFAULTS.perDay} unless it is set)

${MANDATE_HELP}
      --from ADDRESS      the account to pay from, if it is rekeyed to the key
      --channel           pay through channels, if offered; also gives the tools channels and close_channel
${CHANNEL_FILE_HELP}

${ENVIRONMENT_HELP}`;

export const mcp = command({
  summary: 'let an agent pay within limits: an MCP server on stdio',
  help,
  options: {
    ...LIMIT_OPTIONS,
    ...BUDGET_OPTIONS,
    max: { type: 'string', default: DEFAULTS.max },
    'per-day': { type: 'string', default: DEFAULTS.perDay },
    'confirm-above': { type: 'string', default: DEFAULTS.confirmAbove },
    origin: { type: 'string', multiple: true },
    ...MANDATE_OPTION,
    ...CHANNEL_FILE_OPTION,
    channel: { type: 'boolean' },
    from: { type: 'string' },
  },
  positionals: [],
  async run(values, terminal) {
    const { journal: file, 'confirm-above': price, origin: origins } = values;
    if (file === undefined) {
      const message = '--journal FILE is missing: without it, each start would have a new budget';
      throw invalidArguments(message);
    }
    const spend: SpendOptions = { ...spendLimits(values), ...spendBudgets(values), ...(origins && { origins }) };
    const confirmAbove = { price, amount: dollarValue('--confirm-above', price) };
    // Loaded here, because no other command needs it.
    const { serveStdio } = await import('./mcp/serve-stdio.ts');
    const party = await payingParty(terminal, values);
    const journal = await openFileJournal(file, { keepProofs: values['no-proofs'] !== true });
    const allowance = party.mandate && allowanceOf(party.mandate, terminal);
    const serve = (channels?: { readonly channels: ChannelOptions }): Promise<void> =>
      serveStdio({
        instructions: instructionsOf(spend, confirmAbove, party),
        confirmAbove,
        journal,
        balance: () => balanceOf(party.address, algodOf(terminal.environment)),
        ...(allowance && { mandate: allowance }),
        requireFunds: (offer: ChosenOffer) => requireFunds(party.address, offer, terminal),
        payerThatAsks: (onOffer) => {
          const payer = party.mandate ? party.payer : { ...party.payer, ...channels };
          return createPayer({ ...payer, spend, journal, onOffer, ...payerWorld(terminal) });
        },
        terminal,
      });
    await withHeldFile(journal, terminal, () =>
      values.channel === true
        ? withChannelFile(values.channels, terminal, (store) => serve({ channels: { store } }))
        : serve(),
    );
    return {};
  },
});

/** What the model is told about its limits. */
function instructionsOf(spend: SpendOptions, asked: ConfirmationLimit, { mandate }: PayingParty): string {
  const chain = mandate
    ? ` The chain enforces ${limitInWords(mandate.config)}: ask the tool budget what is left now.`
    : '';
  return `Pays HTTP resources that answer 402 (x402). ${limitsIn(spend)} ${whenAsked(spend, asked)}${chain}`;
}

/** When a person is asked: above the limit of confirmation, if a payment above it is possible at all. */
function whenAsked(
  { perPayment, perHour, perDay, perOrigin }: SpendOptions,
  { amount, price }: ConfirmationLimit,
): string {
  const limits = [perPayment, perHour, perDay, perOrigin].filter((limit) => limit !== undefined);
  return limits.some((limit) => parsePrice(limit, USD_DECIMALS) <= amount)
    ? 'No price within these limits needs a person; one is asked about a payment without a dollar price.'
    : `Above ${price} a person is asked.`;
}

/** What the chain allows now, read from the node. */
function allowanceOf(mandate: KnownMandate, terminal: Terminal): () => Promise<MandateAllowance> {
  const watch = new MandateWatch(mandate, algodOf(terminal.environment));
  return async () => {
    const status = await watch.status();
    const { cap, payable } = status;
    const isUsdc = usdcOn(mandate.network)?.asset === String(mandate.config.asset);
    return {
      status,
      ...(isUsdc && { nextInDollars: cap < payable ? cap : payable }),
      asText: (amount) => amountAsText({ network: mandate.network, asset: mandate.config.asset.toString(), amount }),
      timeOf: (round) => timeOf(round, status, terminal.now()),
    };
  };
}

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
