import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Replay, ReplayMessage } from '@avm402/core/replay';
import type { KeptLedger } from './ledger-history.ts';
import type { PaymentSummary } from './payment-summary.ts';
import type { Facts, RecordedSpan } from './recorded-span.ts';
import { eventsOf, HEADERS } from './reported-message.ts';

export interface ReplayParts {
  readonly summary: PaymentSummary;
  readonly spans: readonly RecordedSpan[];
  /** The group's members, each the msgpack of a transaction, signed if it is on chain. */
  readonly group: readonly Uint8Array[];
  /** The ledger before the payment. */
  readonly ledger: KeptLedger | undefined;
}

/** The spans that say what went over the wire, if the buyer reports any. */
const BUYER = /^x402\.(ask|present)$/;

/** Everything known of a payment, as a file that `avm402 replay` runs again elsewhere. */
export async function replayOf({ summary, spans, group, ledger }: ReplayParts): Promise<Replay> {
  const { asked, outcome, transaction } = summary;
  const buyers = spans.filter(({ name }) => BUYER.test(name));
  const messages = eventsOf(buyers.length > 0 ? buyers : spans, 'x402.message');
  const checks = eventsOf(spans, 'x402.check').map(({ facts }) => ({
    check: String(facts['x402.check']),
    outcome: String(facts['x402.outcome']),
  }));
  return {
    format: 'avm402-replay',
    version: 1,
    asked,
    ...(outcome !== undefined && { outcome }),
    ...(transaction !== undefined && { transaction }),
    checks,
    messages: messages.map(({ facts }) => messageOf(facts)),
    group: group.map((member) => Buffer.from(member).toString('base64')),
    ...(ledger && { ledger: { round: ledger.round, state: await packed(ledger.state) } }),
  };
}

async function packed(state: Uint8Array): Promise<string> {
  return (await promisify(gzip)(state)).toString('base64');
}

function messageOf(facts: Facts): ReplayMessage {
  const text = (name: string): string => String(facts[name] ?? '');
  const isRequest = facts['url.path'] !== undefined;
  const request = `${text('http.request.method')} ${text('server.address')}${text('url.path')}`;
  const headers = Object.entries(HEADERS).filter(([, fact]) => facts[fact] !== undefined);
  return {
    // Seen from the buyer, no matter which role reports it.
    direction: isRequest ? 'sent' : 'received',
    line: isRequest ? request.trim() : text('http.response.status_code'),
    headers: Object.fromEntries(headers.map(([header, fact]) => [header, text(fact)])),
  };
}
