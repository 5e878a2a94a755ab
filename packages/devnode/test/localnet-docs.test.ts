import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DevelopmentNode } from '../src/development-node.ts';
import { indexerRoutes } from '../src/indexer/route-table.ts';
import { startDevnode } from '../src/start-devnode.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/localnet.md'), 'utf8');
const run = promisify(execFile);

describe('docs/localnet.md', () => {
  const closed = new DevelopmentNode();
  const routes = indexerRoutes(closed);
  closed.close();

  test('lists every route of the indexer, and no other, with the words of its table', () => {
    const served = routes.map(({ method, path, summary }) => [
      `${method} ${path.replaceAll(/:([a-z-]+)/g, '{$1}')}`,
      summary,
    ]);
    const listed = [...PAGE.matchAll(/^\| `(GET [^`]*)`\s*\| (.*?)\s*\|$/gm)].map(([, route, summary]) => [
      route,
      summary,
    ]);
    expect(new Map(listed as [string, string][])).toEqual(new Map(served as [string, string][]));
  });

  test('names every query parameter of the indexer, and no other', () => {
    const taken = routes.flatMap(({ parameters }) =>
      Object.entries(parameters)
        .filter(([, parameter]) => parameter.in === 'query')
        .map(([name]) => name),
    );
    const [, list = ''] = /mean what they mean\nthere: (.*?)\./s.exec(PAGE) ?? [];
    const named = [...list.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
    expect(named.toSorted()).toEqual([...new Set(taken)].toSorted());
  });

  test.each(['algokit-utils-9', 'algokit-utils-10'])('shows code that runs, with %s', async (kit) => {
    const node = await startDevnode({ port: 0, kmdPort: 0 });
    const { url, kmdUrl = '', token } = node;
    const config = (address: string) => {
      const { port } = new URL(address);
      return JSON.stringify({ server: address.replace(`:${port}`, ''), port, token });
    };
    const client = `AlgorandClient.fromConfig({ algodConfig: ${config(url)}, kmdConfig: ${config(kmdUrl)} })`;
    const examples = [...PAGE.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code ?? '');
    expect(examples).toHaveLength(2);
    const printed: string[] = [];
    for (const code of examples) {
      const here = code
        .replace('@algorandfoundation/algokit-utils', kit)
        .replace('AlgorandClient.defaultLocalNet()', client);
      const args = ['--input-type=module-typescript', '--eval', here];
      printed.push((await run(process.execPath, args, { cwd: join(import.meta.dirname, '..') })).stdout);
    }
    await node.stop();
    expect(printed[0]?.trimEnd().split('\n').at(-1)).toMatch(/^101n?$/);
    expect(printed[1]).toMatch(/^http:\S+ http:\S+ http:\S+$/m);
  });
});
