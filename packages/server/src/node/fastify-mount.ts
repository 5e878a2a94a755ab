import type { FastifyInstance } from 'fastify';

/** What Fastify keeps under a symbol of its own: the hooks that were added to a part of an app, and to those around it. */
interface Hooks {
  readonly onRequest?: readonly unknown[];
}

/**
 * The prefix of the part of an app that a hook was added to. A part inherits from the one around it, and its hooks with it:
 * the outermost that has the hook is where it was added. A route's own hook is its part's.
 */
export function mountOf(part: FastifyInstance, hook: unknown): string {
  const around: unknown = Object.getPrototypeOf(part);
  return isPart(around) && hooksOf(around)?.onRequest?.includes(hook) ? mountOf(around, hook) : part.prefix;
}

function isPart(value: unknown): value is FastifyInstance {
  return typeof value === 'object' && value !== null && 'prefix' in value;
}

function hooksOf(part: FastifyInstance): Hooks | undefined {
  const symbol = Object.getOwnPropertySymbols(part).find(({ description }) => description === 'fastify.hooks');
  return symbol && Reflect.get(part, symbol);
}
