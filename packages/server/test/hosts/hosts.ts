import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import cors from '@fastify/cors';
import express, { type Express } from 'express';
import express4 from 'express4';
import Fastify, { type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { cors as honoCors } from 'hono/cors';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { paymentMiddleware as honoMiddleware } from '../../src/hosts/hono/hono.ts';
import { charge, type RoutesConfig, type Seller } from '../../src/index.ts';
import { paymentMiddleware as nodeListener } from '../../src/hosts/node/node.ts';
import { paymentMiddleware as fetchHandler } from '../../src/hosts/fetch/fetch.ts';
import { afterwards, listen } from '../support/shop.ts';

/** What a handler is asked, in the words of no framework. */
export interface Asked {
  readonly header: (name: string) => string | undefined;
  readonly body: () => Promise<string>;
  readonly charge: (amount: bigint) => boolean;
}

/** What it answers; a list of parts streams. */
export interface Answered {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | AsyncIterable<string>;
}

export type Handler = (asked: Asked) => Answered | Promise<Answered>;

/** An app that sells. */
interface Sale {
  readonly seller: Seller;
  readonly routes: RoutesConfig;
  /** By path, as the framework's router reads it: `/premium`, `/users/:id`. */
  readonly handlers: Readonly<Record<string, Handler>>;
}

/** A framework, or what stands in for one: serves the app, and tells its URL. Other origins may read what it answers. */
export interface Host {
  readonly name: string;
  readonly serve: (sale: Sale) => Promise<string>;
}

const ORIGIN = 'https://page.example';

async function writeTo(response: ServerResponse, { status = 200, headers = {}, body = '' }: Answered): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (typeof body === 'string') return void response.end(body);
  try {
    for await (const part of body) response.write(part);
    response.end();
  } catch {
    response.destroy();
  }
}

const askedOfNode = (request: IncomingMessage, response: ServerResponse): Asked => ({
  header: (name) => request.headers[name]?.toString(),
  body: () => text(request),
  charge: (amount) => charge(response, amount),
});

const askedOfFetch = (request: Request): Asked => ({
  header: (name) => request.headers.get(name) ?? undefined,
  body: () => request.text(),
  charge: (amount) => charge(request, amount),
});

function asResponse({ status = 200, headers = {}, body = '' }: Answered): Response {
  const stream = typeof body === 'string' ? body : streamOf(body);
  return new Response(status === 204 ? null : stream, { status, headers });
}

/** Makes a part when it is asked for, as a stream with `pull` does. */
function streamOf(parts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const source = parts[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: async (controller) => {
      const part = await source.next();
      if (part.done) controller.close();
      else controller.enqueue(Buffer.from(part.value));
    },
  });
}

/** The handler of a path, as simple servers find it. */
function handlerAt(handlers: Sale['handlers'], target: string): Handler {
  const path = decodeURI(new URL(target, 'http://shop.example').pathname)
    .toLowerCase()
    .replace(/(.)\/$/, '$1');
  const pattern = path.replace(/^(\/[^/]+)\/[^/]+$/, '$1/:id');
  return handlers[path] ?? handlers[pattern] ?? (() => ({ status: 404, body: 'not found' }));
}

function expressHost(name: string, create: typeof express): Host {
  return {
    name,
    serve: ({ seller, routes, handlers }) => {
      const app: Express = create();
      app.use((_request, response, next) => {
        response.setHeader('Access-Control-Allow-Origin', ORIGIN);
        next();
      });
      app.use(seller.middleware(routes));
      for (const [path, handler] of Object.entries(handlers)) {
        app.all(path, async (request, response, next) => {
          try {
            await writeTo(response, await handler(askedOfNode(request, response)));
          } catch (error) {
            next(error);
          }
        });
      }
      const onError: express.ErrorRequestHandler = (_error, _request, response, _next) =>
        void response.status(500).send('failed');
      return listen(app.use(onError));
    },
  };
}

const plainNode: Host = {
  name: 'node:http',
  serve: ({ seller, routes, handlers }) => {
    const paid = nodeListener(seller.pricedRoutes(routes), async (request, response) =>
      writeTo(response, await handlerAt(handlers, request.url ?? '/')(askedOfNode(request, response))),
    );
    return listen((request, response) => {
      response.setHeader('Access-Control-Allow-Origin', ORIGIN);
      paid(request, response);
    });
  },
};

const fastify: Host = {
  name: 'Fastify 5',
  serve: async ({ seller, routes, handlers }) => {
    const app = Fastify({
      forceCloseConnections: true,
      routerOptions: { caseSensitive: false, ignoreTrailingSlash: true },
    });
    await app.register(cors, { origin: ORIGIN });
    app.addHook('onRequest', fastifyHook(seller.pricedRoutes(routes)));
    app.addContentTypeParser('*', async (_request: FastifyRequest, payload: IncomingMessage) => text(payload));
    for (const [url, handler] of Object.entries(handlers)) {
      app.all(url, async (request, reply) => {
        const body = async (): Promise<string> => (typeof request.body === 'string' ? request.body : '');
        const answer = await handler({ ...askedOfNode(request.raw, reply.raw), body });
        reply.code(answer.status ?? 200).headers(answer.headers ?? {});
        return reply.send(typeof answer.body === 'object' ? Readable.from(answer.body) : answer.body);
      });
    }
    afterwards(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
};

/** Hono's program for Node; whatever answers by `Response` can be run by it. */
function listenBy(app: (request: Request, env?: object) => Response | Promise<Response>): Promise<string> {
  const listener = getRequestListener(app);
  return listen((request, response) => void listener(request, response));
}

const hono: Host = {
  name: 'Hono',
  serve: ({ seller, routes, handlers }) => {
    const app = new Hono();
    app.use(honoCors({ origin: ORIGIN }));
    app.use(honoMiddleware(seller.pricedRoutes(routes)));
    for (const [path, handler] of Object.entries(handlers)) {
      app.all(path, async (context) => asResponse(await handler(askedOfFetch(context.req.raw))));
    }
    app.onError((_error, context) => context.text('failed', 500));
    return listenBy((request, env) => app.fetch(request, env));
  },
};

const fetched: Host = {
  name: 'Request → Response',
  serve: ({ seller, routes, handlers }) => {
    const paid = fetchHandler(seller.pricedRoutes(routes), async (request) =>
      asResponse(await handlerAt(handlers, request.url)(askedOfFetch(request))),
    );
    return listenBy(async (request) => {
      const response = await paid(request).catch(() => new Response('failed', { status: 500 }));
      const headers = new Headers(response.headers);
      headers.set('Access-Control-Allow-Origin', ORIGIN);
      return new Response(response.body, { status: response.status, headers });
    });
  },
};

export const hosts: readonly Host[] = [
  expressHost('Express 5', express),
  expressHost('Express 4', express4),
  fastify,
  plainNode,
  hono,
  fetched,
];
