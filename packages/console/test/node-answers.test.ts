import { expect, it } from 'vitest';
import type { z } from 'zod';
import { readScenario, scenarioNames } from '../../devnode/test/replay/recording.ts';
import { NODE_ANSWERS } from '../src/node-answers.ts';
import { NodeAccess } from '../src/server/node-access.ts';

const SHOWN = Object.entries<z.ZodType>(NODE_ANSWERS).map(([path, schema]) => {
  return { pattern: new RegExp(`^/v2/${path.replaceAll(/:\w+/g, '[^/]+')}$`), schema };
});

it.each(['payments', 'programs', 'applications'] as const)(
  'nothing that a real algod has answered is refused: %s',
  async (set) => {
    let count = 0;
    for (const { request, response } of scenarioNames(set).flatMap((name) => readScenario(set, name).exchanges)) {
      const [path = ''] = request.path.split('?');
      const schema = SHOWN.find(({ pattern }) => pattern.test(path))?.schema;
      const { status, body } = response;
      if (schema === undefined || request.method !== 'GET' || status !== 200 || body === undefined) continue;
      const node = new NodeAccess({ url: 'http://node', token: '' }, async () => new Response(body));
      await node.json(request.path, schema);
      count++;
    }
    expect(count).toBeGreaterThan(100);
  },
);

it('a number that JSON can’t hold exactly comes as its digits, any other as a number', async () => {
  const totalOf = async (digits: string) => {
    const body = `{"params":{"decimals":0,"creator":"A","total":${digits}}}`;
    const node = new NodeAccess({ url: 'http://node', token: '' }, async () => new Response(body));
    return (await node.json('assets/1', NODE_ANSWERS['assets/:id'])).params.total;
  };
  expect(await totalOf('18446744073709551615')).toBe('18446744073709551615');
  expect(await totalOf('9007199254740993')).toBe('9007199254740993');
  expect(await totalOf('9007199254740991')).toBe(9_007_199_254_740_991);
  expect(await totalOf('10458941')).toBe(10_458_941);
});
