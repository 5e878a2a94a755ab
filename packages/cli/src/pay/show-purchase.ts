import { type ChannelView, type ChosenOffer, reportOf, type SentPayment, settlementOf } from '@avm402/client';
import type { Terminal } from '../command/terminal.ts';
import { explain, explanationLines } from '../words/explain.ts';
import type { FinalWords } from '../words/final-words.ts';
import { bodyText, jsonBody } from '../words/response-body.ts';
import { channelLines, settlementLines, shownChannel, shownOffer } from '../words/show.ts';

/** The payment that left and the response that came, as far as they are known. */
export interface Progress {
  offer?: ChosenOffer;
  payment?: SentPayment;
  /** The payment was made by an earlier run, and lacked its answer. */
  isOfEarlierRun?: boolean;
  /** A voucher was to leave, without a deposit. */
  isByVoucher?: boolean;
  /** The channel that paid, in its state afterwards. */
  channel?: ChannelView | undefined;
  response?: Response;
}

export interface Answer {
  readonly response: Response;
  readonly body: Uint8Array;
}

type Outcome = Answer | { readonly error: unknown };

/** Writes the settlement and the status to stderr, and the body to stdout. */
export function showText(
  terminal: Terminal,
  { payment, channel, isOfEarlierRun = false }: Progress,
  outcome: Outcome,
): void {
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

/** Writes one JSON object to stdout: the offer, the payment and the answer, or the error. */
export function showJson(
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
