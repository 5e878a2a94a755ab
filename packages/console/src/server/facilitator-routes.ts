import { fetchExchange } from '@avm402/algorand/http-exchange';
import type { Router } from 'express';
import * as z from 'zod';
import { atomic } from '../payments/atomic.ts';
import type { Roles } from '../roles.ts';
import { Role } from './role.ts';

const text = z.string();

/** A line of the facilitator's ledger. */
const settlement = z.object({
  recordedAt: text,
  transaction: text,
  state: text,
  asset: text,
  amount: atomic,
  payer: text,
  payTo: text,
  sponsoredFee: atomic.optional(),
  errorReason: text.optional(),
  // Of a channel: its address, and what the settlement did to it.
  channel: text.optional(),
  channelMove: text.optional(),
});
export type Settlement = z.infer<typeof settlement>;

const ledger = z.object({ settlements: z.array(settlement), cursor: text.optional() });
export type LedgerPage = z.infer<typeof ledger>;

/** A resource in the facilitator's catalogue (x402 extensions/bazaar). */
const resource = z.object({
  resource: text,
  description: text.optional(),
  accepts: z.array(z.object({ scheme: text, asset: text, amount: text, payTo: text })),
});
export type Listed = z.infer<typeof resource>;

/** Without the resources of other versions of x402, whose offers have other members. */
const listed = z.array(z.unknown()).transform((items) => items.flatMap((item) => resource.safeParse(item).data ?? []));
const catalogue = z.object({ items: listed });
export type CatalogueAnswer = z.infer<typeof catalogue>;

/** `GET /facilitator/…`: the facilitator's answers that the page shows. The request carries the key for its ledger. */
export function facilitatorRoutes({ url, key }: Roles['facilitator'], ask: typeof fetch): Router {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const facilitator = new Role({ name: 'facilitator', url, headers, exchange: fetchExchange(ask) });
  return facilitator.routes({ settlements: ledger, 'discovery/resources': catalogue });
}
