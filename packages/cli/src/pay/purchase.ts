import { writeFile } from 'node:fs/promises';
import { channelIn } from '@avm402/avm/batch-settlement/client';
import {
  type ChannelOptions,
  type ChannelView,
  createPayer,
  type Payer,
  type PaymentJournal,
  reportOf,
  settlementOf,
  type SpendOptions,
} from '@avm402/client';
import { BY_CHANNEL } from '@avm402/client/diagnosis';
import { requireFunds } from '../node/funds.ts';
import { GRACE_MS, payerWorld } from '../options/payer-world.ts';
import type { PayingParty } from './paying-party.ts';
import type { Terminal } from '../command/terminal.ts';
import { EXIT } from '../words/exit-code.ts';
import { explain } from '../words/explain.ts';
import { finalWords, type FinalWords, finalWordsOnError } from '../words/final-words.ts';
import { offerLines, paymentLines } from '../words/show.ts';
import { type Answer, type Progress, showJson, showText } from './show-purchase.ts';

/** What is paid, by whom, and where its answer goes. */
export interface Purchase {
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

/** Requests the URL, pays its price and shows what came of it. @returns the exit code of the command */
export async function payAndShow(purchase: Purchase, terminal: Terminal): Promise<number> {
  const { party, journal, spend, channels, output, json } = purchase;
  const progress: Progress = {};
  const payer = createPayer({
    ...(party.mandate ? party.payer : { ...party.payer, ...(channels && { channels }) }),
    spend,
    ...payerWorld(terminal),
    ...(journal && { journal }),
    onOffer: async (offer) => {
      await requireFunds(party.address, offer, terminal);
      progress.isByVoucher = offer.requirements.scheme === BY_CHANNEL && !offer.deposit;
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
    const final = finalWordsOnError(error, { ...progress, txId: progress.payment?.txId });
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
      // A voucher could be signed anew, and pay once more.
      if (!payment || attempt === MAX_ATTEMPTS || init.signal?.aborted === true) throw error;
    }
  }
}
