import { type ChosenOffer, USD } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { withSeparators } from '@avm402/core/price';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';

/** The price above which a person is asked. */
export interface ConfirmationLimit {
  /** Millionths of a dollar. A payment that costs more must be confirmed. */
  readonly amount: bigint;
  /** The same as text, for example `$0.10`. */
  readonly price: string;
}

/** How long a person may think, ms. */
const ANSWER_TIMEOUT_MS = 300_000;

/**
 * Whether a payment may be made: a small one at once, any other if the person at the host agrees. The person is always
 * asked about a payment without a dollar price.
 * @throws X402Error `offer_declined`, with the reason if nobody could be asked
 */
export async function confirm(offer: ChosenOffer, limit: ConfirmationLimit, host: Server): Promise<boolean> {
  const { cost, price } = offer.deposit ?? offer;
  if (cost.unit === USD && cost.amount <= limit.amount) return true;
  if (host.getClientCapabilities()?.elicitation === undefined) {
    const message = `${withSeparators(price)} is above ${limit.price}, for which a person is asked, and this host can't ask; raise --confirm-above`;
    throw new X402Error('offer_declined', { message });
  }
  return ask(offer, host);
}

async function ask(offer: ChosenOffer, host: Server): Promise<boolean> {
  const { url, requirements, deposit } = offer;
  const price = withSeparators((deposit ?? offer).price);
  const wanted = deposit ? `Deposit ${price} at` : `Pay ${price} to`;
  try {
    const answer = await host.elicitInput(
      {
        message: `${wanted} ${url.origin} for ${url.pathname}? The receiver is ${requirements.payTo}.`,
        requestedSchema: {
          type: 'object',
          properties: {
            pay: { type: 'boolean', title: deposit ? `Deposit ${price}` : `Pay ${price}`, default: false },
          },
          required: ['pay'],
        },
      },
      { timeout: ANSWER_TIMEOUT_MS },
    );
    return answer.action === 'accept' && answer.content?.['pay'] === true;
  } catch (cause) {
    throw new X402Error('offer_declined', { message: `nobody answered whether to pay ${price}`, cause });
  }
}
