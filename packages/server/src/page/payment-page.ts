import { networkName, usdcOn } from '@avm402/avm/exact/server';
import { canonicalNetwork } from '@avm402/core/network';
import { formatAmount, formatMoney } from '@avm402/core/price';
import type { PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types';
import type { PayingPage } from './paying-page.ts';

const STATIC_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `:root{color-scheme:light dark}body{color:CanvasText;background:Canvas;font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.25rem;overflow-wrap:anywhere}ul{list-style:none;padding:0}li{margin:1rem 0}.price{display:block;font-size:1.5rem}
.amount{white-space:nowrap;font-weight:700}.seller,code{overflow-wrap:anywhere;font-size:.875rem}code{background:#8882;padding:.1rem .3rem}`;

export interface PaymentPageParts {
  readonly required: PaymentRequired;
  /** Decimal places of an offer's asset, if known. */
  readonly decimals: (offer: PaymentRequirements) => number | undefined;
  /** Lets people pay on the page. If absent, the page tells them how to pay. */
  readonly paying?: PayingPart;
}

/** How a page pays. */
interface PayingPart {
  readonly page: PayingPage;
  /** Path of the page's files, with a trailing slash. */
  readonly folder: string;
  /** For the one script that runs. */
  readonly nonce: string;
}

/** A page and the headers that it needs. */
export interface PaymentPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The page for a priced URL in a browser: what is sold, at what price, and how to pay. It is complete without scripts,
 * runs at most one, and escapes everything in it.
 */
export function paymentPage({ required: { resource, accepts }, decimals, paying }: PaymentPageParts): PaymentPage {
  const offers = distinct(accepts).map((offer) => shownOffer(offer, decimals(offer)));
  const script = paying && scriptOf(paying, offers);
  const html = pageHtml(resource, offers, script);
  return { html, headers: { 'Content-Security-Policy': script?.policy ?? STATIC_POLICY, ...script?.headers } };
}

function pageHtml({ url, description }: ResourceInfo, offers: readonly ShownOffer[], script?: PageScript): string {
  const what = description === undefined || description === '' ? url : description;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment required</title>
<style>${STYLE}${script?.style ?? ''}</style>
${script?.html ?? ''}</head>
<body>
<main>
<p>Payment required</p>
<h1>${escape(what)}</h1>
${receiversOf(offers)
  .map((payTo) => offersTo(payTo, offers))
  .join('\n')}
<p>This is sold per request with x402. Pay with a client, for example <code>npx avm402 pay ${escape(shellWord(url))}</code>;
programs find the offer in the header <code>PAYMENT-REQUIRED</code> of this answer.</p>
</main>
</body>
</html>
`;
}

/** Each offer once: to a person, offers that differ only in the spelling of their network are the same. */
function distinct(accepts: readonly PaymentRequirements[]): readonly PaymentRequirements[] {
  const key = ({ scheme, network, asset, amount, payTo }: PaymentRequirements): string =>
    JSON.stringify([scheme, canonicalNetwork(network), asset, amount, payTo]);
  return [...new Map(accepts.map((offer) => [key(offer), offer])).values()];
}

/** An offer in words for people. */
interface ShownOffer {
  readonly requirements: PaymentRequirements;
  /** The network's name, if it has one. */
  readonly network: string;
  readonly amount: string;
  readonly currency: string;
}

function shownOffer(requirements: PaymentRequirements, decimals: number | undefined): ShownOffer {
  const network = networkName(requirements.network) ?? requirements.network;
  return { requirements, network, ...priceOf(requirements, decimals) };
}

function receiversOf(offers: readonly ShownOffer[]): readonly string[] {
  return [...new Set(offers.map(({ requirements }) => requirements.payTo))];
}

/** The offers that pay one receiver, whose address is said once. */
function offersTo(payTo: string, offers: readonly ShownOffer[]): string {
  const items = offers.filter(({ requirements }) => requirements.payTo === payTo).map(offerItem);
  return `<ul>
${items.join('\n')}
</ul>
<p class="seller">to ${escape(payTo)}</p>`;
}

/** Words for the schemes whose price is the most that a request costs. */
const TERMS: Readonly<Record<string, string>> = {
  'batch-settlement': 'through a channel: one deposit, then a signature a request',
  upto: 'what was used is charged',
};

function offerItem({ requirements: { scheme }, network, amount, currency }: ShownOffer): string {
  const terms = TERMS[scheme];
  return `<li><span class="price">${terms === undefined ? '' : 'up to '}<span class="amount">${escape(amount)}</span> ${escape(currency)} on ${escape(network)}</span>
${terms ?? ''}</li>`;
}

/** A price in dollars for USDC, else in whole units, or in atomic units if the decimals are not known. */
function priceOf(
  { amount, asset, network }: PaymentRequirements,
  decimals: number | undefined,
): Pick<ShownOffer, 'amount' | 'currency'> {
  const usdc = usdcOn(network);
  if (usdc?.asset === asset) return { amount: formatMoney(BigInt(amount), usdc.decimals), currency: usdc.symbol };
  if (decimals === undefined) return { amount, currency: `atomic units of asset ${asset}` };
  return { amount: formatAmount(BigInt(amount), decimals), currency: `of asset ${asset}` };
}

/** The script of a page that pays, with the style, policy and headers that it needs. */
interface PageScript {
  readonly html: string;
  readonly style: string;
  readonly policy: string;
  readonly headers: Readonly<Record<string, string>>;
}

function scriptOf({ page, folder, nonce }: PayingPart, offers: readonly ShownOffer[]): PageScript {
  const { connect, settings } = page.on(offers.map(({ requirements }) => canonicalNetwork(requirements.network)));
  const facts = JSON.stringify({ folder, settings, offers }).replaceAll('<', String.raw`\u003c`);
  return {
    style: page.style,
    html: `<script type="application/json" id="avm402">${facts}</script>
<script type="module" nonce="${nonce}" src="${escape(folder + page.entry)}"></script>
`,
    policy: payingPolicy(nonce, connect),
    // A wallet's window answers the page that opened it.
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin-allow-popups' },
  };
}

/** Allows one script, and what it loads. Wallets bring styles and pictures of their own. */
function payingPolicy(nonce: string, connect: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'media-src blob:',
    ['connect-src', "'self'", ...connect].join(' '),
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Quotes a URL for a shell. Anyone may have chosen the URL, and the command is there to be copied. */
function shellWord(url: string): string {
  return `'${url.replaceAll("'", '%27')}'`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
