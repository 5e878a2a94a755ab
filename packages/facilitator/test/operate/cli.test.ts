import { createHash } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { killPrograms, logOf, run, runLogging, urlOf } from '../program.ts';

let h: DevnodeHarness;
let folder: string;

beforeAll(async () => {
  h = await DevnodeHarness.start({ node: { blocks: 'manual' } });
  folder = await mkdtemp(join(tmpdir(), 'avm402-cli-'));
});

afterEach(killPrograms);

afterAll(async () => {
  await h.stop();
  await rm(folder, { recursive: true });
});

const environment = (store = 'settlements.sqlite') => ({
  PORT: '0',
  ALGOD_URL: h.devnode.url,
  ALGOD_TOKEN: h.devnode.token,
  AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
  SETTLEMENT_STORE: join(folder, store),
});

async function post(url: string, path: string, payload: unknown, key?: string) {
  const body = JSON.stringify({ x402Version: 2, paymentPayload: payload, paymentRequirements: h.requirements() });
  const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  return (await response.json()) as Record<string, unknown>;
}

/** Posts to `/settle`, and waits until the node has the payment. */
async function startSettling(url: string, payload: unknown, key?: string) {
  const { poolTransactions: before } = await h.devnode.state();
  const answer = post(url, '/settle', payload, key).catch(() => 'lost');
  await eventually(async () => (await h.devnode.state()).poolTransactions > before);
  return { answer };
}

// Starting a program from source takes seconds on a busy machine.
describe('the program', { timeout: 60_000 }, () => {
  it('says one line when it is ready, serves, and ends with 0 on SIGTERM', async () => {
    const result = run(environment('first.sqlite'));
    const url = await urlOf(result);
    expect(await post(url, '/verify', await h.pay())).toMatchObject({ isValid: true });
    result.child.kill('SIGTERM');
    expect(await result.exited).toEqual([0, null]);
    expect(result.stdout.trim().split('\n')).toHaveLength(1);
  });

  it('says in a line that its port is taken, and how to choose another', async () => {
    const PORT = new URL(h.devnode.url).port;
    const result = run({ ...environment(), SETTLEMENT_STORE: ':memory:', PORT, LOG_LEVEL: 'error' });
    expect(await result.exited).toEqual([1, null]);
    expect(result.stderr).toMatch(/^avm402-facilitator: listen EADDRINUSE: .*choose another port with PORT\.\n$/);
    expect(result.stderr).toContain(PORT);
  });

  it('answers a settle call that is under way when it has to end', async () => {
    const result = run({ ...environment('drain.sqlite'), SETTLE_TIMEOUT_MS: '60000', DRAIN_TIMEOUT_MS: '300' });
    const url = await urlOf(result);
    const { answer } = await startSettling(url, await h.pay());
    result.child.kill('SIGINT');
    expect(await answer).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    expect(await result.exited).toEqual([0, null]);
  });

  it('settles while its log can’t be written, as on a full disk', async () => {
    await using log = await open(fileURLToPath(import.meta.url), 'r');
    const result = runLogging(log.fd, { ...environment('full.sqlite'), LOG_LEVEL: 'debug' });
    const url = await urlOf(result);
    const { answer } = await startSettling(url, await h.pay());
    await h.devnode.mine();
    expect(await answer).toMatchObject({ success: true });
    expect(await post(url, '/settle', {})).toMatchObject({ success: false });
    result.child.kill('SIGTERM');
    expect(await result.exited).toEqual([0, null]);
  });

  it('reads its callers anew on SIGHUP; a file that is wrong changes nothing', async () => {
    const file = join(folder, 'callers.json');
    const keyOf = (name: string) => `${name}-key-0123456789abcdef`;
    const write = (...names: string[]): Promise<void> =>
      writeFile(
        file,
        JSON.stringify(
          names.map((name) => ({
            name,
            operator: true,
            keySha256: createHash('sha256').update(keyOf(name)).digest('hex'),
          })),
        ),
      );
    await write('old');
    const result = run({ ...environment('hup.sqlite'), CALLERS_FILE: file });
    const url = await urlOf(result);
    const statusOf = async (name: string): Promise<number> =>
      (await fetch(`${url}/settlements`, { headers: { Authorization: `Bearer ${keyOf(name)}` } })).status;
    expect([await statusOf('old'), await statusOf('new')]).toEqual([200, 401]);
    await write('new');
    result.child.kill('SIGHUP');
    await eventually(async () => (await statusOf('new')) === 200);
    expect(await statusOf('old')).toBe(401);
    await writeFile(file, '{');
    result.child.kill('SIGHUP');
    await eventually(() => logOf(result).some(({ level }) => level === 50));
    expect(await statusOf('new')).toBe(200);
    expect(logOf(result).filter(({ msg }) => String(msg).includes('CALLERS_FILE'))).toMatchObject([
      { callers: 1, msg: 'CALLERS_FILE was read again' },
      { msg: 'CALLERS_FILE could not be read again; the previous callers stay' },
    ]);
    result.child.kill('SIGTERM');
    expect(await result.exited).toEqual([0, null]);
  });

  it('without a file of callers SIGHUP ends it as SIGTERM does', async () => {
    const result = run(environment('hangup.sqlite'));
    await urlOf(result);
    result.child.kill('SIGHUP');
    expect(await result.exited).toEqual([0, null]);
  });

  it('loses nothing when it is killed: the next one confirms and answers', async () => {
    const key = 'k'.repeat(32);
    const payload = await h.pay();
    const first = run({ ...environment(), SETTLE_TIMEOUT_MS: '60000' });
    const { answer } = await startSettling(await urlOf(first), payload, key);
    first.child.kill('SIGKILL');
    expect(await answer).toBe('lost');
    const miner = setInterval(() => void h.devnode.mine(), 100);
    const second = run(environment());
    expect(await post(await urlOf(second), '/settle', payload, key)).toMatchObject({ success: true });
    clearInterval(miner);
  });

  it('names everything that is wrong with its environment and ends with 1', async () => {
    const result = run({ PORT: 'soon', AVM_PRIVATE_KEY: 'canary-key', SPONSOR_PAY_TO: 'nobody' });
    expect(await result.exited).toEqual([1, null]);
    for (const name of ['ALGOD_URL', 'PORT', 'AVM_PRIVATE_KEY', 'SPONSOR_PAY_TO'])
      expect(result.stderr).toContain(name);
    expect(result.stderr).not.toContain('canary');
    expect(result.stdout).toBe('');
  });

  it('refuses an algod of another network', async () => {
    const result = run({ ...environment('other.sqlite'), AVM_NETWORK: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe' });
    expect(await result.exited).toEqual([1, null]);
    expect(result.stderr).toContain('algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe');
  });

  it('ends at once when algod refuses its token, and names the variable', async () => {
    const begun = Date.now();
    const result = run({ ...environment('token.sqlite'), ALGOD_TOKEN: 'b'.repeat(64) });
    expect(await result.exited).toEqual([1, null]);
    expect(Date.now() - begun).toBeLessThan(20_000);
    expect(result.stderr).toMatch(
      /^avm402-facilitator: the algod at \S+ refuses the token in ALGOD_TOKEN \(status 401\)/m,
    );
    expect(result.stderr).not.toContain('b'.repeat(64));
  });

  it.each([
    [['--help'], 0, 'SPONSOR_PAY_TO'],
    [['settlements', '--help'], 0, 'SPONSOR_PAY_TO'],
    [['--version'], 0, '0.'],
    [['--nonsense'], 2, ''],
  ])('called with %s ends with %d', async (parameters, code, text) => {
    const result = run({}, ...parameters);
    expect(await result.exited).toEqual([code, null]);
    expect(result.stdout).toContain(text);
  });
});
