/**
 * An error answer given before or instead of a route's handler: by the router, the middleware or parameter binding.
 * Unlike a handler's refusal (a DevnodeError), algod never compresses it.
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
