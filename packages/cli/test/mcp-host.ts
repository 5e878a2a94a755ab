import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach } from 'vitest';
import { run } from './run.ts';

const program = fileURLToPath(new URL('../bin/avm402.js', import.meta.url));

/** Starts `avm402 mcp`. `answer`: what its person says; without one it can't ask. */
export type StartHost = (
  args?: readonly string[],
  answer?: (question: string) => ElicitResult,
  more?: Record<string, string>,
) => Promise<Client>;

/** Connects a host to the server that these arguments and this environment start; resolves with what ends both. */
type Connect = (
  host: Client,
  args: readonly string[],
  environment: Record<string, string>,
) => Promise<() => Promise<unknown>>;

/** In this process. */
const asCommand: Connect = async (host, args, environment) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = run(args, { environment, streams: [input, output] });
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  // Both sides of a connection speak the same over their streams.
  await Promise.race([host.connect(new StdioServerTransport(output, input)), failed]);
  return async () => {
    await host.close();
    input.end();
    return ended;
  };
};

/** In a process of its own, as hosts do. */
export const asProgram: Connect = async (host, args, environment) => {
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...environment };
  const command = [program, ...args];
  await host.connect(new StdioClientTransport({ command: process.execPath, args: command, env, stderr: 'inherit' }));
  return () => host.close();
};

/** Hosts that share a journal; they and their servers end with the test. */
export function useHosts(
  environment: (more?: Record<string, string>) => Record<string, string>,
  connect = asCommand,
): StartHost {
  let folder: string;
  const ending: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'avm402-mcp-'));
  });
  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
    await rm(folder, { recursive: true });
  });
  return async (args = [], answer, more = {}) => {
    const host = new Client(
      { name: 'test-host', version: '1.0.0' },
      { capabilities: answer ? { elicitation: { form: {} } } : {} },
    );
    if (answer) host.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
    ending.push(await connect(host, ['mcp', '--journal', join(folder, 'journal'), ...args], environment(more)));
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
