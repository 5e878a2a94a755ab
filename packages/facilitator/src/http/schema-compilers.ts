import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type BuildValidator = NonNullable<CompilersFactory['buildValidator']>;
type BuildSerializer = NonNullable<CompilersFactory['buildSerializer']>;

const load = createRequire(createRequire(import.meta.url).resolve('fastify'));

/**
 * Fastify's own compilers of schemas, loaded with the first route that has a schema. They are most of what Fastify loads,
 * and our routes don't need them; a program that embeds the app may add a route that does.
 */
export const schemaCompilers: CompilersFactory = {
  buildValidator: (...given: Parameters<BuildValidator>) => load('@fastify/ajv-compiler')()(...given),
  buildSerializer: (...given: Parameters<BuildSerializer>) => load('@fastify/fast-json-stringify-compiler')()(...given),
};
