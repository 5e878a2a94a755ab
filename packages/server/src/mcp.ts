export { paidTool, type ToolCallback, type ToolTerms } from './mcp/paid-tool.ts';
export type { CallContext } from './mcp/tool-call.ts';
