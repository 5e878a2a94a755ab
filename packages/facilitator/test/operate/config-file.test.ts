import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/operate/config.ts';
import { readConfigFile } from '../../src/operate/config-file.ts';
import { killPrograms, run } from '../program.ts';

const folder = mkdtempSync(join(tmpdir(), 'avm402-config-'));
const path = join(folder, 'facilitator.env');
afterAll(() => {
  killPrograms();
  rmSync(folder, { recursive: true });
});

function fileOf(text: string, environment: Record<string, string> = {}) {
  writeFileSync(path, text);
  return readConfigFile(path, environment);
}

describe('a configuration file', () => {
  it('sets what the environment would, with comments and quotes', () => {
    const { variables, problems } = fileOf(
      '# the chain\nALGOD_URL="http://127.0.0.1:4001"\n\nexport PORT=4023 # not 4022\nAVM_MNEMONIC=\n',
    );
    expect(problems).toEqual([]);
    const { port, algods, sponsorship } = parseConfig(variables);
    expect([port, algods[0]?.url, sponsorship]).toEqual([4023, 'http://127.0.0.1:4001', undefined]);
  });

  it('gives way to the environment, unless that is empty', () => {
    const { variables } = fileOf('PORT=1\nHOST=h\n', { PORT: '2', HOST: ' ' });
    expect(variables).toMatchObject({ PORT: '2', HOST: 'h' });
  });

  it('may hold what OpenTelemetry and Node read, and nothing else that is no setting', () => {
    const { problems, located } = fileOf('OTEL_SERVICE_NAME=x\nNODE_OPTIONS=\nSPONSER_PAY_TO=A\n');
    expect(problems.map(located)).toEqual(['SPONSER_PAY_TO (facilitator.env:3): is not a setting of the facilitator']);
  });

  it('is named with its line by a problem, the last one where a setting is made twice; so is the environment', () => {
    const { located } = fileOf('PORT=1\nLOG_LEVEL=x\nPORT=2\n', { HOST: 'h' });
    expect(located('PORT: is wrong')).toBe('PORT (facilitator.env:3): is wrong');
    expect(located('HOST: is wrong')).toBe('HOST (environment): is wrong');
    expect(located('ALGOD_URL: is missing')).toBe('ALGOD_URL: is missing');
    expect(located('LOG_LEVEL, PORT: not both')).toBe('LOG_LEVEL (facilitator.env:2), PORT: not both');
  });

  it('that can’t be read is an error that names it', () => {
    const missing = join(folder, 'none.env');
    expect(() => readConfigFile(missing, {})).toThrow(
      expect.objectContaining({ code: 'environment_invalid', message: expect.stringContaining(missing) }),
    );
  });
});

it('the program and its --check name every fault of file and environment at once, and no secret', async () => {
  writeFileSync(
    path,
    'PORT=soon\nAVM_PRIVATE_KEY=canary-key\nSPONSER_PAY_TO=A\nSETTLEMENT_STORE=/no/such/folder/file\n',
  );
  const environment = { RETENTION_DAYS: 'ever' };
  const [start, check] = [[], ['--check']].map((more) => run(environment, ...more, '--config', path));
  expect(await start?.exited).toEqual([1, null]);
  expect(await check?.exited).toEqual([1, null]);
  const faults = [
    'SPONSER_PAY_TO (facilitator.env:3): is not a setting of the facilitator',
    'PORT (facilitator.env:1): must be a whole number',
    'AVM_PRIVATE_KEY (facilitator.env:2): ',
    'RETENTION_DAYS (environment): must be a whole number',
    'ALGOD_URL: is missing',
  ];
  for (const fault of faults) {
    expect(start?.stderr).toContain(`\n${fault}`);
    expect(check?.stderr).toContain(`problem  ${fault}`);
  }
  expect(check?.stderr).toContain('problem  SETTLEMENT_STORE (facilitator.env:4): ');
  expect(`${start?.stderr}${check?.stderr}`).not.toContain('canary-key');
}, 60_000);
