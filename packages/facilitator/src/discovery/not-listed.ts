/** Why a resource is not in the catalogue, and how to change that. */
export const NOT_LISTED = {
  url_malformed: 'The URL is not one of http or https, or is too long. Name it in the route as `resource`.',
  url_not_public: 'Only a private network reaches the host. Name the public URL in the route as `resource`.',
  declaration_malformed: 'The extension `bazaar` is not one. Declare it with `declareDiscovery`.',
  declaration_too_large:
    'The extension `bazaar` or the offer is larger than 8 KiB or nested too deep. Shorten the examples.',
  seller_unlisted: 'The receiver is none that this facilitator lists. Ask its operator.',
  not_the_seller: 'The entry belongs to a seller who has a key; it changes by payments that are settled with that key.',
  seller_has_too_many: 'The receiver has as many entries as one may have.',
  catalogue_full: 'There are as many entries of unlisted sellers as there may be. Ask the operator to be listed.',
  expired: 'No payment for it was settled in the last thirty days. The next one lists it again.',
  no_settled_payment: 'No payment for it, whose offer declares the extension `bazaar`, was settled here lately.',
} as const;

export type NotListed = keyof typeof NOT_LISTED;
