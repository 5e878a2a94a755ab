import { describe, expect, it } from 'vitest';
import { createAccount, encodePrivateKey } from '@avm402/algorand/account';
import { accounts } from '../../client/test/chain.ts';
import { asking } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { run, type Ran } from './run.ts';

const stage = useStage();

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  AVM_PRIVATE_KEY: accounts.payer.privateKey,
  ALGOD_URL: stage.chain.url,
  ALGOD_TOKEN: stage.chain.token,
  ...more,
});
const avm402 = (args: readonly string[], env = environment(), input = ''): Promise<Ran> =>
  run(args, { environment: env, input });

describe('a newcomer', () => {
  it('who opts in with an empty account is told how much ALGO is missing, and how to get it', async () => {
    const seed = createAccount().exportSeed();
    const { code, stderr } = await avm402(['optin'], environment({ AVM_PRIVATE_KEY: encodePrivateKey(seed) }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/account_unfunded: [A-Z2-7]{58} holds 0\.?0* ALGO and needs 0\.201/);
    expect(stderr).toContain('avm402 fund');
    expect(stderr).not.toContain('ALGOD_TOKEN');
  });

  it('who opts in to an asset that does not exist is told so', async () => {
    const { code, stderr } = await avm402(['optin', '--asset', '999']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/asset_not_found: no asset 999 on algorand:/);
    expect(stderr).not.toContain('ALGOD_TOKEN');
  });

  it('who pays on another network without naming a node is told to set ALGOD_URL', async () => {
    const seller = await stage.sellerThat(() => asking());
    const { ALGOD_URL: _url, ALGOD_TOKEN: _token, ...without } = environment();
    const { code, stderr } = await avm402(['pay', seller.url], without);
    expect(code).toBe(3);
    expect(stderr).toMatch(/algod_not_configured: no algod is configured for algorand:/);
    expect(stderr).toContain('Set ALGOD_URL');
    expect(stderr).not.toContain('raise the limits');
  });

  it.each(['fund', 'balance'])('who runs %s without a key is told that an ADDRESS does, too', async (command) => {
    const { ALGOD_URL = '', ALGOD_TOKEN = '' } = environment();
    const { code, stderr } = await avm402([command], { ALGOD_URL, ALGOD_TOKEN });
    expect(code).toBe(1);
    expect(stderr).toContain(`avm402 ${command} ADDRESS`);
  });

  it('who signs nothing is shown how to pipe an offer in', async () => {
    const { code, stderr } = await avm402(['sign'], environment(), '\n');
    expect(code).toBe(2);
    expect(stderr).toContain('stdin is empty');
    expect(stderr).toContain('| avm402 sign');
  });

  it.each(['localhost:4001', 'not a url'])('whose ALGOD_URL is %s is told which variable is wrong', async (url) => {
    const { code, stderr } = await avm402(['balance'], environment({ ALGOD_URL: url }));
    expect(code).toBe(1);
    expect(stderr).toContain('ALGOD_URL is not an algod');
    expect(stderr).toContain('http://127.0.0.1:4001');
  });

  it.each([200, 404, 503])('whose ALGOD_URL is a web site that answers %s is told so', async (status) => {
    const site = await stage.sellerThat(() => ({ status, body: '<!DOCTYPE html>\n<title>Site</title>' }));
    const { code, stderr } = await avm402(['balance'], environment({ ALGOD_URL: site.url }));
    expect(code).toBe(1);
    expect(stderr).toContain('ALGOD_URL is not an algod');
  });

  it('who examines an http port over https is told to try http', async () => {
    const site = await stage.sellerThat(() => ({ status: 402 }));
    const { stdout } = await avm402(['doctor', site.url.replace('http:', 'https:')]);
    expect(stdout).toContain(`Try ${site.url}`);
    expect(stdout).not.toMatch(/openssl|SSL routines/i);
  });

  it('who examines an endpoint that fails is told that the server failed', async () => {
    const site = await stage.sellerThat(() => ({ status: 500 }));
    const { stdout } = await avm402(['doctor', site.url]);
    expect(stdout).toContain('the server failed: it answers 500');
    expect(stdout).not.toContain('Check method and path');
  });

  it('who asks for help about keys is shown both commands', async () => {
    for (const args of [['keys', '--help'], ['keys']]) {
      const { code, stdout, stderr } = await avm402(args);
      expect(code).toBe(args.length === 2 ? 0 : 2);
      expect(stdout + stderr).toMatch(/keys new .*\n.*keys show-address/);
    }
  });

  it('who asks for JSON is answered in JSON when the environment is wrong, too', async () => {
    const { code, stdout } = await avm402(['balance', '--json'], environment({ AVM_MNEMONIC: 'some words' }));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'environment_invalid', message: 'set AVM_MNEMONIC or AVM_PRIVATE_KEY, not both' },
    });
  });

  it('whose payment fails is told that doctor explains it', async () => {
    const seller = await stage.sellerThat(() => asking([{ amount: '5000000' }]));
    const { code, stderr } = await avm402(['pay', seller.url]);
    expect(code).toBe(3);
    expect(stderr).toContain(`avm402 doctor ${seller.url}`);
  });
});
