import type * as z from 'zod';
import type { SchemaName } from './schemas.ts';

/** The requests and answers of one route; part of its `config`. */
export interface Operation {
  readonly summary: string;
  readonly body?: SchemaName;
  readonly query?: z.ZodObject;
  /** Names of request headers, with their purpose. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** The schema of a JSON answer; absent if it has other media types only. */
  readonly schema?: SchemaName;
  /** Other media types of the answer. */
  readonly media?: readonly string[];
}

declare module 'fastify' {
  // oxlint-disable-next-line typescript/no-empty-object-type -- an interface of another module can only be extended
  interface FastifyContextConfig extends Partial<Operation> {}
}

/** The JSON answer of a successful request. */
export function ok(description: string, schema: SchemaName): Answer {
  return { status: 200, description, schema };
}

/** The answers to a caller that is not allowed to ask. */
export const FORBIDDEN: readonly Answer[] = [
  { status: 401, description: 'A key is needed, and the request has none that is known', schema: 'Error' },
  { status: 403, description: 'The key is for other receivers, or not an operator’s', schema: 'Error' },
];

export const INVALID: Answer = { status: 400, description: 'The request is malformed', schema: 'Error' };
