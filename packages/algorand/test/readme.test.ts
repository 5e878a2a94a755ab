import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { encodePrivateKey } from '../src/account.ts';
import { SEED_1 } from './keys.ts';
import { startRecordedAlgod, TOKEN } from './recorded-algod.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const ERRORS = readFileSync(new URL('../src/errors.ts', import.meta.url), 'utf8');

function codeBlock(language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(README)?.[1] ?? '';
}

test('the example runs and prints what is shown', async () => {
  await using algod = await startRecordedAlgod(['suggested parameters', 'submission']);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', codeBlock('js')], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ALGOD_URL: algod.url,
      ALGOD_TOKEN: TOKEN,
      AVM_PRIVATE_KEY: encodePrivateKey(SEED_1),
    },
  });
  expect(stdout).toBe(codeBlock('text'));
  expect(algod.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v2/transactions/params',
    'POST /v2/transactions',
  ]);
});

test('the table of errors has every code, and no other', () => {
  const inSource = [...ERRORS.matchAll(/^ {2}\| '([a-z_]+)'/gm)].map(([, code]) => code);
  const inTable = [...README.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, code]) => code);
  expect(inSource.length).toBeGreaterThan(10);
  expect(inTable).toEqual(inSource);
});
