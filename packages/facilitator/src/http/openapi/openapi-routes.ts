import type { FastifyInstance } from 'fastify';
import { version } from '../../version.ts';
import type { DescribedRoute, OpenApiDocument } from './document.ts';

const DOCUMENT = {
  summary: 'This document',
  answers: [{ status: 200, description: 'OpenAPI 3.1', media: ['application/json'] }],
};
const PAGE = {
  summary: 'This document for people',
  answers: [{ status: 200, description: 'A page', media: ['text/html'] }],
};

/** `GET /openapi.json` and `/docs`: the requests and answers of the app's routes. Call before any route is added. */
export function addOpenApiRoutes(app: FastifyInstance): void {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ url, method, config }) => {
    const { needs, summary, answers, ...more } = config ?? {};
    // fastify adds a HEAD to each GET, and a program that embeds the app may add routes of its own.
    if (method === 'HEAD' || typeof method !== 'string' || summary === undefined || answers === undefined) return;
    routes.push({ method, url, needs, operation: { summary, answers, ...more } });
  });
  // Complete when first requested: no route can be added after the app has begun to answer. Its parts are loaded then.
  let made: Promise<OpenApiDocument> | undefined;
  const document = (): Promise<OpenApiDocument> =>
    (made ??= import('./document.ts').then(({ openApiDocument }) => openApiDocument(routes, version())));
  app.get('/openapi.json', { config: DOCUMENT }, document);
  app.get('/docs', { config: PAGE }, async (_, reply) => {
    const { docsPage, DOCS_PAGE_POLICY } = await import('./docs-page.ts');
    reply.headers({ 'Content-Security-Policy': DOCS_PAGE_POLICY, 'X-Content-Type-Options': 'nosniff' });
    return reply.type('text/html; charset=utf-8').send(docsPage(await document()));
  });
}
