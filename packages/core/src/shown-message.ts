/** Characters of a header; longer ones are not shown. */
const MAX_LENGTH = 16_384;

/** What is shown of a payment's own part: neither signatures, nor transactions that carry them. */
const OF_PAYLOAD = ['type', 'paymentIndex', 'voucher', 'channelId', 'maxClaimableAmount', 'deposit', 'amount', 'txId'];

/**
 * The message in one of the three headers, as JSON for people who look on: without signatures, signed transactions and
 * extensions (a payment id is the buyer's secret), and no URL with its query. Undefined if there is no message.
 */
export function shownMessage(header: string | null | undefined): string | undefined {
  if (!header || header.length > MAX_LENGTH) return undefined;
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    const { payload, extensions: _, ...rest } = Object(JSON.parse(new TextDecoder().decode(bytes)));
    const shown = payload === undefined ? {} : { payload: JSON.parse(JSON.stringify(payload, OF_PAYLOAD)) };
    return JSON.stringify({ ...rest, ...shown }, withoutSecrets);
  } catch {
    return undefined;
  }
}

function withoutSecrets(name: string, value: unknown): unknown {
  if (name === 'signature') return undefined;
  return name === 'url' && typeof value === 'string' ? value.replace(/[?#].*$/s, '') : value;
}
