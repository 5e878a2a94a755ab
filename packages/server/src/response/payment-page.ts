import { networkName, usdcOn } from '@avm402/avm/exact/server';
import { canonicalNetwork } from '@avm402/core/network';
import { formatPrice } from '@avm402/core/price';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.25rem;overflow-wrap:anywhere}ul{list-style:none;padding:0}li{margin:1rem 0}.price{display:block;font-size:1.5rem}
.amount{white-space:nowrap;font-weight:700}.seller,code{overflow-wrap:anywhere;font-size:.875rem}code{background:#8882;padding:.1rem .3rem}`;

/**
 * The page for a priced URL in a browser: what is sold, at what price, and how to pay. It is static, loads and runs
 * nothing, and escapes everything in it.
 */
export function paymentPage({ resource, accepts }: PaymentRequired, decimals: Decimals): string {
  const what = resource.description === undefined || resource.description === '' ? resource.url : resource.description;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Payment required</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p>Payment required</p>
<h1>${escape(what)}</h1>
<ul>
${distinct(accepts)
  .map((offer) => offerItem(offer, decimals(offer)))
  .join('\n')}
</ul>
<p>This is sold per request with x402. Pay with a client, for example <code>npx @avm402/client pay ${escape(shellWord(resource.url))}</code>;
programs find the offer in the header <code>PAYMENT-REQUIRED</code> of this answer.</p>
</main>
</body>
</html>
`;
}

/** Decimal places of an offer's asset, if known. */
type Decimals = (offer: PaymentRequirements) => number | undefined;

/** Each offer once: those that differ only in how their network is spelled are one to a person. */
function distinct(accepts: readonly PaymentRequirements[]): readonly PaymentRequirements[] {
  const key = ({ scheme, network, asset, amount, payTo }: PaymentRequirements): string =>
    JSON.stringify([scheme, canonicalNetwork(network), asset, amount, payTo]);
  return [...new Map(accepts.map((offer) => [key(offer), offer])).values()];
}

function offerItem(offer: PaymentRequirements, decimals: number | undefined): string {
  const { amount, currency } = priceOf(offer, decimals);
  const byChannel = offer.scheme === 'batch-settlement';
  return `<li><span class="price">${byChannel ? 'up to ' : ''}<span class="amount">${escape(amount)}</span> ${escape(currency)} on ${escape(networkName(offer.network) ?? offer.network)}</span>
${byChannel ? 'through a channel: one deposit, then a signature a request<br>' : ''}<span class="seller">to ${escape(offer.payTo)}</span></li>`;
}

interface ShownPrice {
  readonly amount: string;
  readonly currency: string;
}

/** A price in dollars for USDC, else in whole units, or in atomic units if the decimals are not known. */
function priceOf({ amount, asset, network }: PaymentRequirements, decimals: number | undefined): ShownPrice {
  const usdc = usdcOn(network);
  if (usdc?.asset === asset) return { amount: formatPrice(BigInt(amount), usdc.decimals), currency: usdc.symbol };
  if (decimals === undefined) return { amount, currency: `atomic units of asset ${asset}` };
  return { amount: formatPrice(BigInt(amount), decimals).replace('$', ''), currency: `of asset ${asset}` };
}

/** Quotes a URL for a shell. Anyone may have chosen the URL, and the command is there to be copied. */
function shellWord(url: string): string {
  return `'${url.replaceAll("'", '%27')}'`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
