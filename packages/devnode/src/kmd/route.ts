import { decodedOr, decodeJson } from '../codec/decode.ts';
import type { Kind } from '../codec/kind.ts';

export type KmdMethod = 'GET' | 'POST' | 'DELETE';

/** One route below `/v1`. */
export interface KmdRoute {
  readonly method: KmdMethod;
  readonly path: string;
  /**
   * Gives the JSON answer to a body.
   * @throws DevnodeError `refused`
   */
  handle(body: Uint8Array): string;
}

/** How a route reads its request and writes its answer. */
export interface KmdCall<Request, Answer> {
  readonly request: Kind<Request>;
  readonly answer: Kind<Answer>;
  readonly handle: (request: Request) => Answer;
}

/** Declares a route whose request is a JSON body. */
export function kmdRoute<Request, Answer>(
  method: KmdMethod,
  path: string,
  { request, answer, handle }: KmdCall<Request, Answer>,
): KmdRoute {
  const read = (body: Uint8Array) => decodedOr('could not decode request body', () => decodeJson(request, body));
  return { method, path, handle: (body) => answer.json(handle(read(body)), '') };
}
