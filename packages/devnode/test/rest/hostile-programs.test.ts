import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

const LONGEST = 524_288;

let node: Devnode;
beforeAll(async () => {
  node = await startDevnode({ port: 0 });
});
afterAll(() => node.stop());

const post = async (tool: string, body: string | Uint8Array): Promise<{ status: number; message: string }> => {
  const headers = { 'x-algo-api-token': node.token };
  const answer = await fetch(`${node.url}/v2/teal/${tool}`, { method: 'POST', headers, body: Buffer.from(body) });
  const { message = '' } = (await answer.json()) as { message?: string };
  return { status: answer.status, message };
};

const doubling = Array.from({ length: 100 }, (_, index) => `#define a${index + 1} a${index} ; a${index}\n`).join('');
const constant = Buffer.concat([Buffer.from('0a2601808010', 'hex'), Buffer.alloc(262_144, 1)]);

test.each([
  ['compile', 'macros that double', `#pragma version 8\n#define a0 err\n${doubling}a100\n`, 400],
  ['compile', 'a million lines', 'int 1\n'.repeat(1_000_000), 400],
  ['compile', 'nothing but wrong words', 'x\n'.repeat(LONGEST / 2), 400],
  ['compile', 'random bytes', Buffer.from(Array.from({ length: LONGEST }, (_, index) => (index * 7919) % 251)), 400],
  ['compile', 'the most instructions', `#pragma version 13\n${'err\n'.repeat(130_000)}`, 200],
  [
    'disassemble',
    'a long constant, loaded again and again',
    Buffer.concat([constant, Buffer.alloc(262_000, 0x28)]),
    400,
  ],
  ['disassemble', 'the most instructions', Buffer.alloc(LONGEST, 0x0a), 200],
  [
    'disassemble',
    'a constant of any length',
    Buffer.concat([Buffer.from('0a80808010', 'hex'), Buffer.alloc(262_144, 97)]),
    200,
  ],
])('%s: %s get an answer, and the node goes on', async (tool, _, body, status) => {
  const answer = await post(tool, body);
  expect(answer.status).toBe(status);
  expect(answer.message === '').toBe(status === 200);
  expect((await fetch(`${node.url}/health`)).status).toBe(200);
});
