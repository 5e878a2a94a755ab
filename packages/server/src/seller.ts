import type { Seller } from './exchange.ts';
import { facilitatorEndpoint } from './facilitator/facilitator-endpoint.ts';
import { FacilitatorPool } from './facilitator/facilitator-pool.ts';
import { Quotes } from './offers/quotes.ts';
import { type CompleteOptions, parseOptions, type PaymentOptions } from './options.ts';
import { Claims } from './redemption/claims.ts';
import { memoryRedemptionStore } from './redemption/memory-redemption-store.ts';
import { PayersInFlight } from './redemption/payers-in-flight.ts';
import type { RedemptionStore } from './redemption/redemption-store.ts';
import { Verdicts } from './redemption/verdicts.ts';
import { HeldBytes } from './response/held-bytes.ts';
import { checkResourceServer, facilitatorClientsOf, type ResourceServer } from './stock-server.ts';

/** What all handlers share that sell through one resource server: a payment for one of them is used for all. */
interface Shared {
  readonly pool: FacilitatorPool;
  readonly store: RedemptionStore;
  readonly payers: PayersInFlight;
  readonly heldBytes: HeldBytes;
}

const shared = new WeakMap<ResourceServer, Shared>();

/** @throws X402Error `invalid_option`, `incompatible_resource_server`, `resource_server_hooks`, `facilitator_url_insecure` */
export function createSeller(server: ResourceServer, given: PaymentOptions): Seller {
  const options = parseOptions(given);
  checkResourceServer(server);
  const { pool, store, payers, heldBytes } = sharedOf(server, options);
  const { now, monotonicNow, randomBytes, maxWaitMs, maxVerifications } = options;
  return {
    options,
    pool,
    claims: new Claims({ store: options.store ?? store, now, monotonicNow, randomBytes, maxWaitMs }),
    verdicts: new Verdicts(maxVerifications),
    payers,
    quotes: new Quotes(now),
    heldBytes,
  };
}

function sharedOf(server: ResourceServer, options: CompleteOptions): Shared {
  const known = shared.get(server);
  if (known !== undefined) return known;
  const endpoints = facilitatorClientsOf(server).map(facilitatorEndpoint);
  const created = {
    pool: new FacilitatorPool(endpoints, options.now),
    store: memoryRedemptionStore(),
    payers: new PayersInFlight(),
    heldBytes: new HeldBytes(options.maxHeldBytesPerPayer, options.maxHeldBytesInTotal),
  };
  shared.set(server, created);
  return created;
}
