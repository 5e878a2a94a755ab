import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCatalogue, isX402Error, X402Error } from '@avm402/core/errors';
import { text } from '@avm402/core/option-kinds';
import type { Channel } from '../../channels/record/channel.ts';
import type { SellerChannels } from '../../channels/channels.ts';
import { invalidOption } from '../../invalid-option.ts';
import { JSON_TYPE } from '../../response/reply.ts';
import type { ExpressHandler } from './express-middleware.ts';

export interface ChannelRoutesOptions {
  /** The seller's channels: `seller.channels`. */
  readonly channels: SellerChannels;
  /** The token that callers send as `Authorization: Bearer`; at least 16 characters. */
  readonly token: string;
}

const MIN_TOKEN = 16;
const CLOSE = /^\/([A-Z2-7]{58})\/close$/;

/**
 * Routes for the seller's own operators. `GET /` lists the channels that are open or closing, with what each owes, as one
 * JSON object per line. `POST /{channelId}/close` closes a channel and answers when the claim is confirmed. Mount it where
 * buyers can't reach it.
 * @throws X402Error `invalid_option` for a short token
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { channelRoutes } from '@avm402/server/express';
 * import express from 'express';
 *
 * declare const seller: Seller;
 * const { channels } = seller;
 * if (channels) express().use('/channels', channelRoutes({ channels, token: process.env['OPERATOR_TOKEN'] ?? '' }));
 * ```
 */
export function channelRoutes({ channels, token }: ChannelRoutesOptions): ExpressHandler {
  if (!text.fits(token) || token.length < MIN_TOKEN) {
    throw invalidOption('token', `must be a text of ${MIN_TOKEN} characters at least`);
  }
  const wanted = digest(`Bearer ${token}`);
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), wanted)) {
      return answer(response, 401, { error: 'unauthorized' });
    }
    const work = workOf(request, response, channels);
    if (work === undefined) return next();
    work.catch((error: unknown) => answerError(response, error));
  };
}

function workOf(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  channels: SellerChannels,
): Promise<void> | undefined {
  const [path = ''] = url.split('?', 1);
  if (method === 'GET' && path === '/') return list(response, channels);
  const [, channelId] = CLOSE.exec(path) ?? [];
  return method === 'POST' && channelId !== undefined ? close(response, channels, channelId) : undefined;
}

async function list(response: ServerResponse, channels: SellerChannels): Promise<void> {
  response.setHeader('Content-Type', 'application/x-ndjson');
  // It does not end the response, because a store that fails at once must be told.
  await pipeline(Readable.from(linesOf(channels)), response, { end: false });
  response.end();
}

async function* linesOf(channels: SellerChannels): AsyncIterable<string> {
  for await (const channel of channels.list()) yield `${JSON.stringify(shown(channel))}\n`;
}

async function close(response: ServerResponse, channels: SellerChannels, channelId: string): Promise<void> {
  answer(response, 200, shown(await channels.close(channelId)));
}

/** Amounts are in atomic units, as strings. */
function shown({ channelId, state, config, requirements, balance, authorized, charged, ...rest }: Channel) {
  const { closing, closedBy } = rest;
  return {
    channelId,
    state,
    network: requirements.network,
    asset: requirements.asset,
    payer: config.payer,
    owed: charged.toString(),
    authorized: authorized.toString(),
    balance: balance.toString(),
    expiry: config.expiry.toString(),
    ...(closing && { closing }),
    ...(closedBy !== undefined && { closedBy }),
  };
}

function answerError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { code, message } = isX402Error(error) ? error : new X402Error('store_unavailable', { cause: error });
  // Nobody is asked to pay here, so 402 becomes 404.
  const { httpStatus } = errorCatalogue[code];
  answer(response, httpStatus === 402 ? 404 : httpStatus, { error: code, message });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': JSON_TYPE }).end(JSON.stringify(body));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
