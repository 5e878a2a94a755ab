import * as z from 'zod/mini';
import { openObject, optional, text } from './message-parser.ts';

export const verifyResponse = z.looseObject({
  isValid: z.boolean(),
  invalidReason: optional(text(1024)),
  invalidMessage: optional(text(8192)),
  payer: optional(text(256)),
  extensions: optional(openObject),
  extensionResponses: optional(openObject),
  extra: optional(openObject),
});
