import { formatPrice } from '@avm402/core/price';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';

/**
 * The page for a priced URL in a browser: what is sold, at what price, and how to pay. It is static, loads and runs
 * nothing, and escapes everything in it.
 */
export function paymentPage({ resource, accepts }: PaymentRequired, decimals: Decimals): string {
  const rows = accepts.map(
    (offer) =>
      `<tr><td>${escape(priceOf(offer, decimals(offer)))}</td><td>${escape(offer.network)}</td><td>${escape(offer.payTo)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Payment required</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}
td,th{text-align:left;padding:.3rem 1rem .3rem 0;overflow-wrap:anywhere}code{background:#8882;padding:.1rem .3rem}</style>
</head>
<body>
<h1>Payment required</h1>
<p>${escape(resource.description === undefined || resource.description === '' ? resource.url : resource.description)}</p>
<table><thead><tr><th>Price</th><th>Network</th><th>Receiver</th></tr></thead>
<tbody>${rows.join('')}</tbody></table>
<p>This resource is sold per request with x402. Pay with a client, for example <code>npx @avm402/client pay ${escape(shellWord(resource.url))}</code>;
programs find the offer in the header <code>PAYMENT-REQUIRED</code> of this answer.</p>
</body>
</html>
`;
}

/** Decimal places of an offer's asset, if known. */
type Decimals = (offer: PaymentRequirements) => number | undefined;

/** A price in whole units, or in atomic units if the decimals are not known. */
function priceOf({ amount, asset }: PaymentRequirements, decimals: number | undefined): string {
  const text =
    decimals === undefined ? `${amount} atomic units` : formatPrice(BigInt(amount), decimals).replace('$', '');
  return `${text} of asset ${asset}`;
}

/** Quotes a URL for a shell. Anyone may have chosen the URL, and the command is there to be copied. */
function shellWord(url: string): string {
  return `'${url.replaceAll("'", '%27')}'`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
