import { JsonSource } from '../codec/json-source.ts';
import type { Kind } from '../codec/kind.ts';
import { EndOfInput } from '../codec/source.ts';
import { DevnodeError, refused } from '../errors.ts';

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
  return { method, path, handle: (body) => answer.json(handle(read(request, body)), '') };
}

/** Reads the first JSON value of a body, as KMD's codec does. */
function read<Request>(request: Kind<Request>, body: Uint8Array): Request {
  try {
    return request.read(new JsonSource(body), request.zero);
  } catch (error) {
    if (error instanceof EndOfInput || error instanceof DevnodeError) throw refused('could not decode request body');
    throw error;
  }
}
