import { setTimeout } from 'node:timers/promises';
import { isX402Error, X402Error } from '@avm402/core/errors';
import type { PaymentEvent } from '../payment-event.ts';
import type { FacilitatorPool } from './facilitator-pool.ts';
import type { SchemeOnNetwork } from './supported-kinds.ts';

/** A facilitator that is started together with the seller needs a moment. */
const WAIT_MS = 10_000;
const PAUSE_MS = 500;
/** After this, somebody who looks at the terminal wants to know what is missing. */
const SILENCE_MS = 1_000;

/** Waits for a facilitator that may be started after the seller, and tells once what is missing. */
export class FirstAnswer {
  readonly #pool: FacilitatorPool;
  readonly #report: (event: PaymentEvent) => void;
  #isTold = false;

  constructor(pool: FacilitatorPool, report: (event: PaymentEvent) => void) {
    this.#pool = pool;
    this.#report = report;
  }

  /**
   * What the facilitator serves on Algorand networks. Waits up to ten seconds for it; after one it reports
   * `facilitator_unreachable` as a warning.
   * @throws X402Error `facilitator_unreachable`
   */
  async kinds(): Promise<readonly SchemeOnNetwork[]> {
    for (const begin = performance.now(); ;) {
      try {
        return await this.#pool.algorandKinds();
      } catch (error) {
        const waited = performance.now() - begin;
        if (!isX402Error(error) || waited > WAIT_MS) throw error;
        if (waited > SILENCE_MS) this.#tell(error);
        await setTimeout(PAUSE_MS);
      }
    }
  }

  #tell(cause: X402Error): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const code = 'facilitator_unreachable';
    const message = `waiting for a facilitator: ${cause.message}. ${cause.remedy}`;
    this.#report({ type: 'warned', route: 'start', code, error: new X402Error(code, { message, cause }) });
  }
}
