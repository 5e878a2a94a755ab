import type { FastifyInstance } from 'fastify';
import { docsPage, DOCS_PAGE_POLICY } from './docs-page.ts';
import { version } from '../../version.ts';
import { type OpenApiDocument, openApiDocument } from './document.ts';

/** `GET /openapi.json` and `/docs`: what the routes of the app are asked and answer. Call before any route is added. */
export function addOpenApiRoutes(app: FastifyInstance): void {
  const routes = new Set<string>();
  app.addHook('onRoute', ({ url }) => void routes.add(url));
  // Complete once it is asked for: no route is added after the app has begun to answer.
  let made: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (made ??= openApiDocument(routes, version()));
  app.get('/openapi.json', document);
  app.get('/docs', async (_, reply) => {
    reply.headers({ 'Content-Security-Policy': DOCS_PAGE_POLICY, 'X-Content-Type-Options': 'nosniff' });
    return reply.type('text/html; charset=utf-8').send(docsPage(document()));
  });
}
