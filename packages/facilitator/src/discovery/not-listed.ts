/** Why a resource is not in the catalogue, and how to change that. */
export const NOT_LISTED = {
  url_malformed: 'The URL is not an http or https URL, or is too long. Name it in the route as `resource`.',
  url_not_public: 'Only a private network reaches the host. Name the public URL in the route as `resource`.',
  declaration_malformed: 'The extension `bazaar` is malformed. Declare it with `declareDiscovery`.',
  declaration_too_large:
    'The extension `bazaar` or the offer is larger than 8 KiB or nested too deep. Shorten the examples.',
  seller_unlisted: 'This facilitator does not list the receiver. Ask its operator.',
  not_the_seller: 'The entry belongs to a seller with a key. Only payments that are settled with that key change it.',
  seller_has_too_many: 'The receiver has reached the limit of entries for one seller.',
  catalogue_full: 'The limit of entries of unlisted sellers is reached. Ask the operator to list you.',
  expired: 'No payment for it was settled in the last thirty days. The next payment lists it again.',
  no_settled_payment: 'No payment whose offer declares the extension `bazaar` was settled for it here lately.',
} as const;

export type NotListed = keyof typeof NOT_LISTED;
