import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const weather = fileURLToPath(new URL('../../apps/weather/dist/main.js', import.meta.url));

function run(environment: Record<string, string>) {
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment };
  return spawnSync(process.execPath, [weather], { env, encoding: 'utf8', timeout: 20_000 });
}

describe('the weather server', () => {
  it('names both missing variables and exits with failure', () => {
    const { status, stderr } = run({});
    expect(status).toBe(1);
    expect(stderr).toContain('AVM_ADDRESS');
    expect(stderr).toContain('FACILITATOR_URL');
  });

  it('names an address that is none', () => {
    const { status, stderr } = run({ AVM_ADDRESS: 'nonsense', FACILITATOR_URL: 'http://127.0.0.1:9' });
    expect(status).toBe(1);
    expect(stderr).toContain('AVM_ADDRESS');
    expect(stderr).not.toContain('FACILITATOR_URL is missing');
  });
});
