import * as z from 'zod/mini';
import { openObject, optional, x402Version } from './message-parser.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';
import { resourceInfo } from './resource-info-schema.ts';

export const paymentPayload = z.looseObject({
  x402Version,
  resource: optional(resourceInfo),
  accepted: paymentRequirements,
  payload: openObject,
  extensions: optional(openObject),
});
