import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach } from 'vitest';

const program = fileURLToPath(new URL('../bin/avm402.js', import.meta.url));

/** Starts `avm402 mcp` as a host does. `answer`: what its person says; without one it can't ask. */
export type StartHost = (
  args?: readonly string[],
  answer?: (question: string) => ElicitResult,
  more?: Record<string, string>,
) => Promise<Client>;

/** Hosts that share a journal; they end with the test. */
export function useHosts(environment: (more?: Record<string, string>) => Record<string, string>): StartHost {
  let folder: string;
  const hosts: Client[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'avm402-mcp-'));
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await rm(folder, { recursive: true });
  });
  return async (args = [], answer, more = {}) => {
    const host = new Client(
      { name: 'test-host', version: '1.0.0' },
      { capabilities: answer ? { elicitation: { form: {} } } : {} },
    );
    if (answer) host.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
    const command = [program, 'mcp', '--journal', join(folder, 'journal'), ...args];
    const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...environment(more) };
    await host.connect(new StdioClientTransport({ command: process.execPath, args: command, env, stderr: 'inherit' }));
    hosts.push(host);
    return host;
  };
}

/** What an agent is told. */
export interface Said {
  /** The result as an object; the SDK has checked it against the tool's schema. */
  readonly data: Record<string, unknown> | undefined;
  readonly isError: boolean;
  /** The text of each block, or the type of what is no text. */
  readonly blocks: readonly string[];
  readonly text: string;
}

/** Calls a tool as an agent does. */
export async function call(host: Client, name: string, args: Record<string, unknown> = {}): Promise<Said> {
  const { content, isError, structuredContent } = await host.callTool({ name, arguments: args });
  const blocks = (content as { readonly type: string; readonly text?: string }[]).map(({ type, text }) => text ?? type);
  const data = structuredContent as Said['data'];
  return { data, isError: isError === true, blocks, text: blocks.join('\n') };
}
