import type { z } from 'zod';
import type { SchemaName } from './schemas.ts';

/** What one route is asked and answers; stands in its `config`. */
export interface Operation {
  readonly summary: string;
  readonly body?: SchemaName;
  readonly query?: z.ZodObject;
  /** Names of request headers, and what they are for. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Of JSON; absent: other media types only. */
  readonly schema?: SchemaName;
  /** Other media types of the answer. */
  readonly media?: readonly string[];
}

declare module 'fastify' {
  // oxlint-disable-next-line typescript/no-empty-object-type -- an interface of another module can only be extended
  interface FastifyContextConfig extends Partial<Operation> {}
}

/** The answer that a route is there for, as JSON. */
export function ok(description: string, schema: SchemaName): Answer {
  return { status: 200, description, schema };
}

/** What is answered to a caller that may not ask. */
export const FORBIDDEN: readonly Answer[] = [
  { status: 401, description: 'A key is needed, and the request has none that is known', schema: 'Error' },
  { status: 403, description: 'The key is for other receivers, or not an operator’s', schema: 'Error' },
];

export const INVALID: Answer = { status: 400, description: 'The request is malformed', schema: 'Error' };
