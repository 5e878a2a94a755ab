import { X402Error } from '@avm402/core/errors';
import { peerOf } from '@avm402/core/peer';
import type { HeldBytes } from '../response/held-bytes.ts';
import type { Responder } from '../response/responder.ts';
import { digestOf } from './digest.ts';
import type { RequestFacts } from './request-facts.ts';

/**
 * What a request asks for, except for its body: method, host, and URL, both as sent and as middleware has changed it.
 */
export function requestHead({ method, host, target, url }: RequestFacts): readonly string[] {
  return [method, host, target, url];
}

/** Largest body, in bytes, by which requests are told apart; requests with a larger one get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * The fingerprint of a request whose payment is signed: hex SHA-256 over host, method, path, query, content type and
 * body. Two requests with the same one ask for the same. The body waits for the handler, so it counts until the request
 * is answered. It counts for the peer that sent it, because anyone with a key can sign. Undefined if the body is too
 * large, or if something else has read it and did not keep its bytes: what was parsed from two bodies may be the same
 * although the bytes differ.
 * @throws X402Error `too_many_bodies_held`
 */
export async function fingerprintOf(
  request: RequestFacts,
  responder: Pick<Responder, 'isClosed' | 'onClose'>,
  bodies: HeldBytes,
): Promise<string | undefined> {
  if (responder.isClosed) return undefined;
  const head = [...requestHead(request), request.header('content-type') ?? ''];
  const share = bodies.share(peerOf(request.address));
  responder.onClose(() => share.free());
  const body = await request.bodyParts(MAX_BODY_BYTES, (bytes) => {
    if (!share.take(bytes)) throw new X402Error('too_many_bodies_held');
  });
  return body && digestOf([...head, body]);
}
