import { createRequire } from 'node:module';
import type { FastifyServerOptions } from 'fastify';

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type BuildValidator = NonNullable<CompilersFactory['buildValidator']>;
type BuildSerializer = NonNullable<CompilersFactory['buildSerializer']>;

const load = createRequire(createRequire(import.meta.url).resolve('fastify'));

/**
 * fastify's own compilers of schemas, loaded when a route first has one. None of ours has, and they are most of what
 * fastify loads; a program that embeds the app may add such a route.
 */
export const schemaCompilers: CompilersFactory = {
  buildValidator: (...given: Parameters<BuildValidator>) => load('@fastify/ajv-compiler')()(...given),
  buildSerializer: (...given: Parameters<BuildSerializer>) => load('@fastify/fast-json-stringify-compiler')()(...given),
};
