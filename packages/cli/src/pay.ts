import { constants, existsSync } from 'node:fs';
import { access, open, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { channelIn } from '@avm402/avm/batch-settlement/client';
import {
  type ChannelOptions,
  type ChannelView,
  type ChosenOffer,
  createPayer,
  type Payer,
  type PaymentJournal,
  reportOf,
  type SentPayment,
  settlementOf,
  type SpendOptions,
} from '@avm402/client';
import { type FileJournal, openFileJournal } from '@avm402/client/file-journal';
import { CHANNEL_FILE_HELP, CHANNEL_FILE_OPTION, withChannelFile } from './options/channel-file.ts';
import { command, parseUrl } from './command.ts';
import { ENVIRONMENT_HELP, GRACE_MS, payerWorld } from './environment.ts';
import { EXIT, EXIT_CODES_HELP } from './words/exit-code.ts';
import { explain, explanationLines } from './words/explain.ts';
import { finalWords, finalWordsOnError, transactionIn, type FinalWords } from './words/final-words.ts';
import { REQUEST_HELP, REQUEST_OPTIONS, requestInit } from './options/http-request.ts';
import { MANDATE_HELP, MANDATE_OPTION, type PayingParty, payingParty, requireOneWay } from './paying-account.ts';
import { requireFunds } from './node/funds.ts';
import { bodyText, jsonBody } from './words/response-body.ts';
import { channelLines, offerLines, paymentLines, settlementLines, shownChannel, shownOffer } from './words/show.ts';
import {
  BUDGET_HELP,
  BUDGET_OPTIONS,
  LIMIT_HELP,
  LIMIT_OPTIONS,
  spendBudgets,
  spendLimits,
} from './options/spend-limits.ts';
import type { Terminal } from './terminal.ts';
import { accessible } from './options/input-file.ts';

const help = `Usage: avm402 pay URL [options]

Requests URL, pays its price within the limits, and writes the body to stdout. The offer, the payment and the settlement
go to stderr, so that | and > get the body alone, byte for byte.

${REQUEST_HELP}

${LIMIT_HELP}

${BUDGET_HELP}

Payment
      --channel           pay through a channel, if offered: one deposit, then one signature for each request
${CHANNEL_FILE_HELP}
${MANDATE_HELP}
      --from ADDRESS      the account to pay from, if it is rekeyed to the key

Output
  -o, --output FILE       write the body to FILE, except an error that cost nothing
      --json              one JSON object on stdout, with all of it

${ENVIRONMENT_HELP}

${EXIT_CODES_HELP}`;

/** The payment that left and the response that came, as far as they are known. */
interface Progress {
  offer?: ChosenOffer;
  payment?: SentPayment;
  /** The payment was made by an earlier run, and lacked its answer. */
  isOfEarlierRun?: boolean;
  /** The channel that paid, in its state afterwards. */
  channel?: ChannelView | undefined;
  response?: Response;
}

interface Answer {
  readonly response: Response;
  readonly body: Uint8Array;
}

type Outcome = Answer | { readonly error: unknown };

export const pay = command({
  summary: 'request a URL and pay its price',
  help,
  options: {
    ...REQUEST_OPTIONS,
    ...LIMIT_OPTIONS,
    ...BUDGET_OPTIONS,
    ...CHANNEL_FILE_OPTION,
    ...MANDATE_OPTION,
    channel: { type: 'boolean' },
    from: { type: 'string' },
    output: { type: 'string', short: 'o' },
    json: { type: 'boolean' },
  },
  positionals: ['URL'],
  async run(values, terminal, named) {
    const url = parseUrl(named);
    const spend = { ...spendLimits(values), ...spendBudgets(values) };
    const init = await requestInit(values, terminal);
    const { output, json = false } = values;
    if (output !== undefined) await requireWritable(output);
    const party = await payingParty(terminal, values);
    requireOneWay(party, values.channel);
    const journal =
      values.journal === undefined
        ? undefined
        : await openFileJournal(values.journal, { keepProofs: values['no-proofs'] !== true });
    const purchase = { url, init, party, journal, spend, output, json };
    try {
      if (values.channel !== true) return { exitCode: await payAndShow(purchase, terminal) };
      const exitCode = await withChannelFile(values.channels, (store) =>
        payAndShow({ ...purchase, channels: { store } }, terminal),
      );
      return { exitCode };
    } finally {
      await closeJournal(journal, terminal);
    }
  },
});

/** Closes the journal. If that fails, it changes nothing about the payment. */
async function closeJournal(journal: FileJournal | undefined, terminal: Terminal): Promise<void> {
  try {
    await journal?.close();
  } catch (error) {
    terminal.error(`warning: the journal could not be closed: ${explain(error).message}`);
  }
}

/** What is paid, by whom, and where its answer goes. */
interface Purchase {
  readonly url: string;
  readonly init: RequestInit;
  readonly party: PayingParty;
  readonly journal: PaymentJournal | undefined;
  readonly spend: SpendOptions;
  /** Present: pays through channels. */
  readonly channels?: ChannelOptions;
  /** File for the body. */
  readonly output: string | undefined;
  readonly json: boolean;
}

/**
 * Checks a path before anything is paid, without creating a file.
 * @throws X402Error `invalid_arguments`
 */
async function requireWritable(path: string): Promise<void> {
  await accessible('write', path, async () => {
    if (existsSync(path)) await (await open(path, 'r+')).close();
    else await access(dirname(resolve(path)), constants.W_OK);
  });
}

async function payAndShow(purchase: Purchase, terminal: Terminal): Promise<number> {
  const { party, journal, spend, channels, output, json } = purchase;
  const progress: Progress = {};
  const payer = createPayer({
    ...(party.mandate ? party.payer : { ...party.payer, ...(channels && { channels }) }),
    spend,
    ...payerWorld(terminal),
    ...(journal && { journal }),
    onOffer: async (offer) => {
      await requireFunds(party.address, offer, terminal);
      return true;
    },
    onPayment: (payment, offer) => {
      Object.assign(progress, { payment, offer });
      if (!json) terminal.error(...offerLines(offer), ...paymentLines(payment));
    },
  });
  const show = json ? showJson : showText;
  try {
    const { response, body } = await wholeAnswer(payer.fetch, purchase, progress);
    progress.channel = await channelThatPaid(payer, response);
    const final = finalWords(response, progress.payment?.txId);
    const isKept = output !== undefined && final.exitCode !== EXIT.unpaid && (await isWritten(output, body, terminal));
    show(terminal, progress, { response, body: isKept ? new Uint8Array() : body }, final);
    return conclude(purchase.url, final, terminal);
  } catch (error) {
    const final = finalWordsOnError(error, progress.payment?.txId ?? transactionIn(error), progress.response);
    show(terminal, progress, { error }, final);
    return conclude(purchase.url, final, terminal);
  } finally {
    await payer.finish(GRACE_MS);
  }
}

/** Finds the channel that paid. A record that can't be read must not cost the answer. */
async function channelThatPaid({ channels }: Payer, response: Response): Promise<ChannelView | undefined> {
  const settlement = settlementOf(response);
  const id = settlement && channelIn(settlement);
  const listed = id === undefined ? undefined : await channels?.list().catch(() => undefined);
  return listed?.find((channel) => channel.id === id);
}

function conclude(url: string, { exitCode, words, unknown }: FinalWords, terminal: Terminal): number {
  if (exitCode === EXIT.unpaid)
    terminal.error(`avm402 doctor ${quotedUrl(url)} looks for the reason, and pays nothing`);
  if (unknown !== undefined)
    terminal.error(
      `GET /v2/transactions/pending/${unknown} of your algod names its confirmed-round once it is in a block`,
    );
  if (words !== undefined) terminal.error(words);
  return exitCode;
}

/** A URL, quoted so that a shell reads it as one word. */
function quotedUrl(url: string): string {
  return /^[\w:/.%@-]*$/.test(url) ? url : `'${url.replaceAll("'", '%27')}'`;
}

/** Writes a body to a file; false if that fails: the caller then shows the body, because it was paid for. */
async function isWritten(path: string, body: Uint8Array, terminal: Terminal): Promise<boolean> {
  try {
    await writeFile(path, body);
    return true;
  } catch (error) {
    terminal.error(`warning: can't write ${path}: ${explain(error).message}`);
    return false;
  }
}

const MAX_ATTEMPTS = 3;

/** Reads the whole answer. Asks again, with the same payment, if it breaks off. */
async function wholeAnswer(fetchPaid: typeof fetch, { url, init }: Purchase, progress: Progress): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    progress.response = await fetchPaid(url, init);
    const { payment } = reportOf(progress.response) ?? {};
    if (payment && !progress.payment) Object.assign(progress, { payment, isOfEarlierRun: true });
    try {
      return { response: progress.response, body: new Uint8Array(await progress.response.arrayBuffer()) };
    } catch (error) {
      if (!progress.payment || attempt === MAX_ATTEMPTS || init.signal?.aborted === true) throw error;
    }
  }
}

function showText(terminal: Terminal, { payment, channel, isOfEarlierRun = false }: Progress, outcome: Outcome): void {
  if (payment && isOfEarlierRun)
    terminal.error(`again       payment ${payment.txId} of an earlier run; nothing new was paid`);
  if ('response' in outcome) {
    const { response, body } = outcome;
    terminal.error(...settlementLines(response, payment), ...(channel ? channelLines(channel) : []));
    terminal.error(`HTTP ${response.status}${response.statusText === '' ? '' : ` ${response.statusText}`}`);
    if (body.length > 0) writeBody(response, body, terminal);
    const { problem } = reportOf(response) ?? {};
    if (problem) terminal.error(...explanationLines(explain(problem)));
  } else {
    terminal.error(...explanationLines(explain(outcome.error)));
  }
}

function writeBody(response: Response, body: Uint8Array, terminal: Terminal): void {
  if (terminal.showsStdout) terminal.printText(`\n${bodyText(response, body)}`);
  else terminal.printBytes(body);
}

function showJson(
  terminal: Terminal,
  { offer, payment, channel }: Progress,
  outcome: Outcome,
  { words }: FinalWords,
): void {
  const answer =
    'response' in outcome
      ? {
          status: outcome.response.status,
          settlement: settlementOf(outcome.response),
          body: jsonBody(outcome.response, outcome.body),
          ...problemOf(outcome.response),
        }
      : { error: explain(outcome.error) };
  const shown = {
    ...(offer && { offer: shownOffer(offer) }),
    ...(payment && { payment }),
    ...(channel && { channel: shownChannel(channel) }),
  };
  terminal.printJson({ ...shown, ...answer, ...(words !== undefined && { message: words }) });
}

/** The reason why an offer can't be read. */
function problemOf(response: Response) {
  const { problem } = reportOf(response) ?? {};
  return problem && { error: explain(problem) };
}
