import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Where the outcome of a tool goes. */
export interface ResultSink {
  take(result: CallToolResult): void;
  failed(error: unknown): void;
}
