/** Characters of a header; longer ones are not shown. */
const MAX_LENGTH = 16_384;

/** What is shown of a payment's own part. */
const OF_PAYLOAD = [
  'type',
  'paymentGroup',
  'paymentIndex',
  'voucher',
  'channelId',
  'maxClaimableAmount',
  'deposit',
  'amount',
  'txId',
];

/** A transaction, in base64, without what signs it; undefined for what is none. */
export type ShowTransaction = (transaction: string) => string | undefined;

/**
 * The message in one of the three headers, as JSON for people who look on: without signatures and extensions (a payment id
 * is the buyer's secret), and no URL with its query. Its transactions are shown by `showTransaction`, and without that, or
 * where one of them is none, not at all. Undefined if there is no message.
 */
export function shownMessage(
  header: string | null | undefined,
  showTransaction: ShowTransaction = () => undefined,
): string | undefined {
  if (!header || header.length > MAX_LENGTH) return undefined;
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    const { payload, extensions: _, ...rest } = Object(JSON.parse(new TextDecoder().decode(bytes)));
    const shown = payload === undefined ? {} : { payload: JSON.parse(JSON.stringify(payload, OF_PAYLOAD)) };
    return JSON.stringify({ ...rest, ...shown }, (name, value: unknown) => {
      if (name === 'signature') return undefined;
      if (name === 'paymentGroup') return shownGroup(value, showTransaction);
      return name === 'url' && typeof value === 'string' ? value.replace(/[?#].*$/s, '') : value;
    });
  } catch {
    return undefined;
  }
}

function shownGroup(group: unknown, show: ShowTransaction): readonly string[] | undefined {
  const shown = Array.isArray(group) ? group.map((member) => show(String(member))) : [];
  return shown.every((member) => member !== undefined) && shown.length > 0 ? shown : undefined;
}
