import { X402Error } from '@avm402/core/errors';
import type * as z from 'zod';

/** @throws X402Error `invalid_query`, which names each parameter that is wrong */
export function parsedQuery<Output>(schema: z.ZodType<Output>, parameters: unknown): Output {
  const result = schema.safeParse(parameters);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'query'}: ${message}`);
  throw new X402Error('invalid_query', { message: problems.join('\n') });
}
