import { isAddress } from '@avm402/algorand/address';
import { BoundedMap } from '@avm402/core/bounded-map';
import { findMandate, type Mandate, type MandateStatus, MandateWatch, readMandate } from '@avm402/client/mandate';
import { Router } from 'express';
import type { NodeAccess } from './node-access.ts';

/** A mandate as the page shows it; amounts and rounds are decimal digits. */
export interface MandateAnswer {
  readonly config: Mandate['config'];
  readonly paysAnybody: boolean;
  readonly status: InDigits<Omit<MandateStatus, 'payments'>>;
  readonly payments: readonly InDigits<MandateStatus['payments'][number]>[];
}

type InDigits<T> = { readonly [Name in keyof T]: T[Name] extends bigint | undefined ? string : T[Name] };

interface Watched {
  readonly mandate: Mandate;
  readonly watch: MandateWatch;
  /** The chain of which the watch has read. */
  readonly chain: number;
}

const MOST_WATCHED = 100;

/** `GET /mandates/{address}`: a mandate's rules and what the chain will allow now; null for any other account. */
export function mandateRoutes(node: NodeAccess): Router {
  const watched = new BoundedMap<string, Watched>(MOST_WATCHED);
  const router = Router();
  router.get('/mandates/:address', async ({ params: { address } }, response) => {
    const { chain, algod } = node;
    const known = watched.get(address);
    const mandate = known?.mandate ?? (isAddress(address) ? await findMandate(algod, address) : undefined);
    if (mandate === undefined) {
      response.json(null);
      return;
    }
    const watch = known?.chain === chain ? known.watch : new MandateWatch(readMandate(mandate), algod);
    watched.set(address, { mandate, watch, chain });
    response.json(await answerOf(mandate, watch));
  });
  return router;
}

async function answerOf({ config }: Mandate, watch: MandateWatch): Promise<MandateAnswer> {
  const { payments, ...status } = await watch.status();
  const paysAnybody = /^A+=*$/.test(config.receivers);
  return { config, paysAnybody, status: inDigits(status), payments: payments.map(inDigits) };
}

function inDigits<T extends object>(values: T): InDigits<T> {
  const entries = Object.entries(values).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]);
  return Object.fromEntries(entries) as InDigits<T>;
}
