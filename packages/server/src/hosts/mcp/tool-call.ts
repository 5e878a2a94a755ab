import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { MCP_PAYMENT, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import type { RequestFacts } from '../../request/request-facts.ts';

/** What the MCP SDK tells a tool about its call. */
export type CallContext = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The base of tool URLs in offers. */
export const TOOLS = 'mcp://tool';

/** The call of a tool, presented as a request: a POST of its arguments, with the payment in `_meta`. */
export class ToolCall implements RequestFacts {
  readonly subject: CallContext;
  readonly method = 'POST';
  readonly target: string;
  readonly host = 'mcp';
  readonly origin = TOOLS;
  /** The SDK provides no address. */
  readonly address = '';
  readonly query = {};
  readonly body: unknown;
  readonly #headers: ReadonlyMap<string, string>;

  constructor(name: string, args: unknown, context: CallContext) {
    this.subject = context;
    this.target = `/${name}`;
    this.body = args;
    const payment = context._meta?.[MCP_PAYMENT];
    this.#headers = new Map([
      ['content-type', 'application/json'],
      ...(payment === undefined || payment === null ? [] : [paymentHeader(payment)]),
    ]);
  }

  get url(): string {
    return this.target;
  }

  get path(): string {
    return this.target;
  }

  get mountedPath(): string {
    return this.target;
  }

  header(name: string): string | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  /** The only headers are those that a payment needs. */
  withoutHeaders(): void {}

  bodyParts(limit: number): Promise<readonly Uint8Array[] | undefined> {
    const bytes = Buffer.from(JSON.stringify(this.body ?? {}));
    return Promise.resolve(bytes.length > limit ? undefined : [bytes]);
  }
}

/** The payment as the header that carries it over HTTP, so that the same limits and parser apply. */
function paymentHeader(payment: unknown): [string, string] {
  return [PAYMENT_SIGNATURE_HEADER.toLowerCase(), Buffer.from(JSON.stringify(payment)).toString('base64')];
}
