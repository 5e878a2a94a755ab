import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');

/** The Node that the machine has beside the one that comes with the repository. */
function machineNode(): string {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const print = ['-p', 'process.execPath'];
  const found = execFileSync('env', [`PATH=${path.join(delimiter)}`, 'node', ...print], { encoding: 'utf8' });
  return realpathSync(found.trim());
}

test('the compiled program starts on the machine’s own Node, takes a control and stops', async () => {
  const node = machineNode();
  const program = spawn(node, [join(PACKAGE, 'bin/avm402-devnode.js'), '--port', '0', '--quiet']);
  const [line] = (await once(program.stdout.setEncoding('utf8'), 'data')) as [string];
  const url = /listening on (\S+)/.exec(line)?.[1] ?? '';
  const mined = await fetch(`${url}/dev/mine`, { method: 'POST', headers: { 'X-Algo-API-Token': 'a'.repeat(64) } });
  expect(await mined.json()).toEqual({ 'last-round': 1 });
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
});

test('the package asks for no newer Node than its program', () => {
  const { engines } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe('>=20.19');
  expect(readFileSync(join(PACKAGE, 'bin/avm402-devnode.js'), 'utf8')).toContain('Node 20.19 or later');
});
