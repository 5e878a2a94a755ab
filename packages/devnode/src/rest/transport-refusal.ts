/**
 * An error answer from the router, the middleware or parameter binding, before or instead of a route's handler.
 * algod never compresses it, unlike a handler's refusal (a DevnodeError).
 */
export class TransportRefusal extends Error {
  override readonly name = 'TransportRefusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
