/** The longest header, in characters, that is shown. */
const MAX_LENGTH = 16_384;

/** The members of a payment's `payload` that are shown. */
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

/** Shows a base64 transaction without its signatures; undefined for any other text. */
export type ShowTransaction = (transaction: string) => string | undefined;

/**
 * The message in one of the three headers, as JSON for onlookers: without signatures, without extensions (a payment id
 * is the buyer's secret), and with URLs cut before their query. `showTransaction` shows the transactions; they are left
 * out if it is absent or one of them can't be shown. Undefined if there is no message.
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
