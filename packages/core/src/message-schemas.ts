import * as z from 'zod/mini';
import { paymentPayload } from './payment-payload-schema.ts';
import { paymentRequirements } from './payment-requirements-schema.ts';
import { settleResponse } from './settle-response-schema.ts';
import { supportedResponse } from './supported-response-schema.ts';
import { verifyResponse } from './verify-response-schema.ts';

/** A message of a facilitator, by its name in API documents. */
export type MessageName =
  | 'PaymentRequirements'
  | 'PaymentPayload'
  | 'VerifyResponse'
  | 'SettleResponse'
  | 'SupportedResponse';

const MESSAGES: Readonly<Record<MessageName, z.ZodMiniType>> = {
  PaymentRequirements: paymentRequirements,
  PaymentPayload: paymentPayload,
  VerifyResponse: verifyResponse,
  SettleResponse: settleResponse,
  SupportedResponse: supportedResponse,
};

/**
 * JSON Schemas of a facilitator's messages as the parsers read them, for generated API documents. They refer to each
 * other by what `uri` makes of a name.
 */
export function messageSchemas(uri: (name: string) => string): Readonly<Record<MessageName, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(MESSAGES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // The only custom schema in the messages is the one for networks.
      if (zodSchema._zod.def.type === 'custom') Object.assign(jsonSchema, { type: 'string', maxLength: 128 });
    },
  });
  return schemas as Record<MessageName, object>;
}
