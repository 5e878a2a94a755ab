import type { SettleResponse } from '@avm402/core/settle-response';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assertReceiver } from '../callers/callers.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { type FacilitatorRequest, parseFacilitatorRequest } from '../facilitator-request.ts';
import type { Facilitator } from '../facilitator.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { tellListing } from './discovery-routes.ts';
import { FORBIDDEN, INVALID, ok } from './openapi/operation.ts';
import { prefersAsync, RESPOND_ASYNC } from './prefer.ts';
import { offerFacts } from './request-log.ts';

interface Observers {
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  readonly discovery: Discovery | undefined;
}

const VERIFY = {
  needs: 'caller',
  summary: 'Whether a payment would settle now',
  body: 'FacilitatorRequest',
  answers: [ok('The verdict, which may be a refusal', 'VerifyResponse'), INVALID, ...FORBIDDEN],
} as const;
const SETTLE = {
  needs: 'caller',
  summary: 'Settles a payment once, however often it is asked to',
  body: 'FacilitatorRequest',
  headers: {
    'Idempotency-Key': '16 to 255 printable characters: a repeated request gets the recorded answer',
    Prefer: 'respond-async: answer settlement_pending, with extra.accepted, once a node has taken the payment',
  },
  answers: [ok('The outcome, which may be a refusal, or settlement_pending', 'SettleResponse'), INVALID, ...FORBIDDEN],
} as const;

/** `POST /verify` and `/settle`. */
export function addPaymentRoutes(app: FastifyInstance, facilitator: Facilitator, observers: Observers): void {
  const { log, metrics, discovery } = observers;
  const verify = async (request: FastifyRequest): Promise<VerifyResponse> => {
    const { paymentPayload, paymentRequirements } = parsePaymentRequest(request);
    const verdict = await facilitator.verify(paymentPayload, paymentRequirements);
    const { isValid, invalidReason: reason } = verdict;
    if (!isValid) {
      log.info({ reason, ...offerFacts(paymentRequirements) }, 'a payment was refused by verify');
      metrics?.paymentRefused('verify', reason);
    }
    return verdict;
  };

  const settle = async (request: FastifyRequest, reply: FastifyReply): Promise<SettleResponse> => {
    const parsed = parsePaymentRequest(request);
    const { paymentPayload, paymentRequirements } = parsed;
    const key = request.headers['idempotency-key'];
    const respondAsync = prefersAsync(request.headers['prefer']);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const options = { respondAsync, signal: left.signal, ...(key !== undefined && { idempotencyKey: String(key) }) };
    const outcome = await facilitator.settle(paymentPayload, paymentRequirements, options);
    const { success, errorReason: reason, transaction, extra } = outcome;
    const isEarly = respondAsync && extra?.['accepted'] === true;
    if (isEarly) {
      reply.header('Preference-Applied', RESPOND_ASYNC);
      // Its caller looks the outcome up by the TxID alone. The wait is as long as the facilitator's longest.
      void discovery?.settledLater(parsed, request.caller, async () => {
        const settlement = await facilitator.settlement(transaction, { waitMs: Number.POSITIVE_INFINITY });
        return settlement?.state === 'confirmed';
      });
    } else if (!success) {
      log.info({ reason, transaction, ...offerFacts(paymentRequirements) }, 'a payment was not settled for its caller');
      metrics?.paymentRefused('settle', reason);
    }
    // A charge of 0 is a success without a transaction.
    if (success && transaction !== '') tellListing(reply, await discovery?.settled(parsed, request.caller));
    return outcome;
  };

  app.route({ method: 'POST', url: '/verify', config: VERIFY, handler: verify });
  app.route({ method: 'POST', url: '/settle', config: SETTLE, handler: settle });
}

/** @throws X402Error `invalid_request`, `receiver_not_allowed` */
function parsePaymentRequest({ body, caller }: FastifyRequest): FacilitatorRequest {
  const parsed = parseFacilitatorRequest(body);
  if (caller !== undefined) assertReceiver(caller, parsed.paymentRequirements.payTo);
  return parsed;
}
