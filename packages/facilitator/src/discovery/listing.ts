import { BAZAAR } from '@avm402/core/discovery';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import { parsePaymentPayload } from '@avm402/core/payment-payload';
import { parsePaymentRequirements, type PaymentRequirements } from '@avm402/core/payment-requirements';
import type { ResourceInfo } from '@avm402/core/resource-info';
import { membersIn, type UnknownMembers } from '@avm402/core/unknown-json';
import type { FacilitatorRequest } from '../facilitator-request.ts';
import type { CatalogueEntry, ResourceDescription } from './catalogue.ts';
import type { NotListed } from './not-listed.ts';
import { isPublicHost, parseWebUrl } from './web-url.ts';

/** The description of a resource in the payment that was settled for it. */
export type Listing = Omit<CatalogueEntry, 'listed' | 'updatedAt'>;

/** A listing, or why there is none. `resource` is its name, for those who ask; a text that is not a URL has none. */
export type ListingOutcome =
  | { readonly listing: Listing }
  | { readonly notListed: NotListed; readonly resource?: string };

const MAX_JSON = 8_192;
const MAX_DEPTH = 16;
const MAX_DESCRIPTION = 500;
const MAX_TOOL_NAME = 64;
const METHODS = new Set<unknown>([undefined, 'GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH']);
const TEMPLATE = /^\/[\w/:.~-]{1,500}$/;
/** Line breaks, lone surrogates and marks that reverse the text's direction: the text must look as it reads. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Reads the listing of a settled payment; `undefined` if it asks for no listing. The schema in it is kept as text for
 * readers: nothing is compiled, and no URL is followed.
 */
export function listingOf(
  { paymentPayload, paymentRequirements }: FacilitatorRequest,
  { privateUrls }: { readonly privateUrls: boolean },
): ListingOutcome | undefined {
  const declared = paymentPayload.extensions?.[BAZAAR];
  // A deposit pays nobody yet, and the outcome of an ending is told to anyone who asks again: neither is a sale.
  if (declared === undefined || paymentRequirements.scheme === 'batch-settlement') return undefined;
  const { resource: about, accepted } = parsePaymentPayload(paymentPayload);
  const requirements = parsePaymentRequirements(paymentRequirements);
  if (about === undefined) return undefined;
  const url = parseWebUrl(about.url);
  if (url === undefined) return { notListed: 'url_malformed' };
  const bazaar = jsonWithin(membersIn(declared), MAX_JSON);
  const offer = jsonWithin(requirements, MAX_JSON);
  const resource = resourceOf(url, bazaar);
  if (!privateUrls && !isPublicHost(url)) return { notListed: 'url_not_public', resource };
  if (bazaar === undefined || offer === undefined) return { notListed: 'declaration_too_large', resource };
  const type = typeOf(bazaar);
  if (type === undefined) return { notListed: 'declaration_malformed', resource };
  // With `upto`, the charge is below the offer; the offer is listed.
  const accepts = [canonicalOffer({ ...requirements, amount: accepted.amount })];
  return { listing: { resource, payTo: requirements.payTo, type, about: descriptionOf(about), accepts, bazaar } };
}

/** The key of a URL in the catalogue: its origin and path, or its origin and route template. */
function resourceOf(url: URL, bazaar: unknown): string {
  const { routeTemplate, info } = membersIn(bazaar);
  const { type, toolName } = membersIn(membersIn(info)['input']);
  const isTool = type === 'mcp' && typeof toolName === 'string';
  const tool = isTool ? `#${encodeURIComponent(toolName.slice(0, MAX_TOOL_NAME).replace(/\p{Cs}/gu, ''))}` : '';
  return `${url.origin}${isTemplate(routeTemplate) ? routeTemplate : url.pathname}${tool}`;
}

function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && TEMPLATE.test(value) && !value.includes('..') && !value.includes('://');
}

function typeOf({ info }: UnknownMembers): CatalogueEntry['type'] | undefined {
  const { type, method, toolName } = membersIn(membersIn(info)['input']);
  if (type === 'http' && METHODS.has(method)) return 'http';
  const isTool = type === 'mcp' && typeof toolName === 'string' && toolName !== '' && toolName.length <= MAX_TOOL_NAME;
  return isTool ? 'mcp' : undefined;
}

function canonicalOffer(offer: PaymentRequirements): PaymentRequirements {
  const { network } = offer;
  return isAlgorandNetwork(network) ? { ...offer, network: canonicalNetwork(network) } : offer;
}

function descriptionOf({ description, mimeType, serviceName, tags, iconUrl }: ResourceInfo): ResourceDescription {
  const icon = iconUrl === undefined ? undefined : parseWebUrl(iconUrl);
  const cleanTags = tags?.map(clean).filter((tag) => tag !== '') ?? [];
  return {
    ...(description && { description: clean(clean(description).slice(0, MAX_DESCRIPTION)) }),
    ...(mimeType && { mimeType: clean(mimeType) }),
    ...(serviceName && { serviceName }),
    ...(cleanTags.length > 0 && { tags: cleanTags }),
    ...(icon && isPublicHost(icon) && { iconUrl: icon.href }),
  };
}

function clean(text: string): string {
  return text.replaceAll(UNSEEN, ' ').trim();
}

/** The object, if its JSON has at most `length` characters and is not nested too deeply. */
function jsonWithin<T extends object>(value: T, length: number): T | undefined {
  return isShallow(value, MAX_DEPTH) && JSON.stringify(value).length <= length ? value : undefined;
}

/** Checked before anything recurses into the value: a small body can be nested deeply enough to exhaust any stack. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
