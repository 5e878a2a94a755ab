import type { CallToolResult, ContentBlock, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { explanationLines } from '../words/explain.ts';
import { printableJson, printableLine } from '../words/printable.ts';
import { explainToAgent } from './agent-remedies.ts';

/** A tool that changes nothing, but asks the network. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };

/** Lines of our own. Text from sellers can't start another line. */
export function lines(texts: readonly string[]): ContentBlock {
  return { type: 'text', text: texts.map(printableLine).join('\n') };
}

/** A result that is data only, as an object and as text. */
export function data(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: printableJson(value) }], structuredContent: structured(value) };
}

/** A value for `structuredContent`: integers as digits, and texts on one line, without what nobody sees. */
export function structured(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => entryOf(name, member)));
}

function entryOf(name: string, member: unknown): [string, unknown][] {
  return member === undefined ? [] : [[name, plain(member)]];
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return printableLine(value);
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? structured({ ...value }) : value;
}

/** Makes a tool whose errors are results, so that the model can read them. */
export function answering<A extends unknown[]>(work: (...args: A) => Promise<CallToolResult>) {
  return async (...args: A): Promise<CallToolResult> => {
    try {
      return await work(...args);
    } catch (error) {
      return { content: [lines(explanationLines(explainToAgent(error)))], isError: true };
    }
  };
}
