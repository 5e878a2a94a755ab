import { createHash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCatalogue, isX402Error, X402Error } from '@avm402/core/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Channel } from '../../channels/record/channel.ts';
import type { SellerChannels } from '../../channels/seller-channels.ts';

export interface ChannelRoutesOptions {
  /** The seller's channels: `seller.channels`. */
  readonly channels: SellerChannels;
  /** The token that callers send as `Authorization: Bearer`; at least 16 characters. */
  readonly token: string;
}

const MIN_TOKEN = 16;
const CLOSE = /^\/([A-Z2-7]{58})\/close$/;

/**
 * Routes for the seller's own operators. `GET /` lists every channel that is not closed, with what it owes, as one JSON
 * object per line. `POST /{channelId}/close` closes a channel and answers when the claim is confirmed. Mount it where
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
export function channelRoutes({ channels, token }: ChannelRoutesOptions): RequestHandler {
  if (token.length < MIN_TOKEN) {
    throw new X402Error('invalid_option', { message: `token must have ${MIN_TOKEN} characters at least` });
  }
  const wanted = digest(`Bearer ${token}`);
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), wanted)) {
      return void response.status(401).json({ error: 'unauthorized' });
    }
    const work = workOf(request, response, channels);
    if (work === undefined) return next();
    work.catch((error: unknown) => answerError(response, error));
  };
}

function workOf({ method, path }: Request, response: Response, channels: SellerChannels): Promise<void> | undefined {
  if (method === 'GET' && path === '/') return list(response, channels);
  const [, channelId] = CLOSE.exec(path) ?? [];
  return method === 'POST' && channelId !== undefined ? close(response, channels, channelId) : undefined;
}

async function list(response: Response, channels: SellerChannels): Promise<void> {
  response.type('application/x-ndjson');
  await pipeline(Readable.from(linesOf(channels)), response);
}

async function* linesOf(channels: SellerChannels): AsyncIterable<string> {
  for await (const channel of channels.list()) yield `${JSON.stringify(shown(channel))}\n`;
}

async function close(response: Response, channels: SellerChannels, channelId: string): Promise<void> {
  response.json(shown(await channels.close(channelId)));
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

function answerError(response: Response, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { code, message } = isX402Error(error) ? error : new X402Error('store_unavailable', { cause: error });
  // Nobody is asked to pay here, so 402 becomes 404.
  const { httpStatus } = errorCatalogue[code];
  response.status(httpStatus === 402 ? 404 : httpStatus).json({ error: code, message });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
