import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';
import { seedToMnemonic } from '@avm402/algorand/mnemonic';
import { isX402Error } from '@avm402/core/errors';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/index.ts';

const seed = new Uint8Array(32).fill(5);
const account = accountFromSeed(seed);
const addressOf = (byte: number): string => accountFromSeed(new Uint8Array(32).fill(byte)).address;
const minimal = { ALGOD_URL: 'http://127.0.0.1:4001' };

function problemsOf(environment: Record<string, string>): string[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (isX402Error(error, 'environment_invalid')) return error.message.split('\n');
    throw error;
  }
}

const namesOf = (environment: Record<string, string>): string[] =>
  problemsOf(environment).map((problem) => problem.slice(0, problem.indexOf(':')));

describe('the environment', () => {
  it('may be as little as the URL of an algod', () => {
    const config = parseConfig(minimal);
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 4022,
      store: { kind: 'sqlite', path: 'avm402-settlements.sqlite', sync: 'normal' },
      settleTimeoutMs: 20_000,
      retentionDays: 90,
    });
    expect(config.algods.map(({ url }) => url)).toEqual(['http://127.0.0.1:4001']);
    expect(config).not.toHaveProperty('sponsorship');
    expect(config).not.toHaveProperty('network');
  });

  it('may configure everything', () => {
    const config = parseConfig({
      ALGOD_URL: 'http://one.example/prefix, https://two.example',
      ALGOD_TOKEN: 'aaa,bbb',
      AVM_NETWORK: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe',
      AVM_PRIVATE_KEY: encodePrivateKey(seed),
      SPONSOR_PAY_TO: account.address,
      SPONSOR_ASSETS: '10458941,31566704',
      SPONSOR_MIN_AMOUNT: '1000',
      SPONSOR_ANYONE: 'false',
      SPONSOR_ANYONE_BUDGET: '5000000',
      SPONSOR_PAY_TO_BUDGET: '6000000',
      SPONSOR_PAYER_BUDGET: '7000000',
      SPONSOR_ADVANCE_BUDGET: '7500000',
      SPONSOR_PAYER_ADVANCE_BUDGET: '300000',
      SPONSOR_TOTAL_BUDGET: '8000000',
      MAX_FEE_PER_PAYMENT: '20000',
      CHANNEL_MIN_DEPOSIT: '1000000',
      CHANNEL_MIN_ROUNDS: '20000',
      CHANNEL_MAX_ROUNDS: '400000',
      CHANNELS_PER_PAYER: '5',
      CHANNELS_PER_RECEIVER: '30',
      CHANNELS_LENT: '9000000',
      CHANNEL_HAND_OVER_AMOUNT: '100000',
      DATABASE_URL: 'postgres://user:password@host/database',
      SETTLE_TIMEOUT_MS: '1000',
      RETENTION_DAYS: '7',
      PORT: '0',
      HOST: '0.0.0.0',
    });
    expect(config.algods.map(({ url }) => url)).toEqual(['http://one.example/prefix', 'https://two.example']);
    expect(config).toMatchObject({
      network: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe',
      sponsorship: {
        payTo: [account.address],
        assets: ['10458941', '31566704'],
        minAmount: 1000n,
        anyone: false,
        anyoneBudget: 5_000_000n,
        payToBudget: 6_000_000n,
        payerBudget: 7_000_000n,
        advanceBudget: 7_500_000n,
        payerAdvanceBudget: 300_000n,
        totalBudget: 8_000_000n,
        maxFee: 20_000n,
      },
      channels: {
        minDeposit: 1_000_000n,
        minRounds: 20_000n,
        maxRounds: 400_000n,
        ofPayer: 5,
        ofReceiver: 30,
        lent: 9_000_000n,
        handOverAmount: 100_000n,
      },
      store: { kind: 'postgres' },
      port: 0,
    });
    expect(config.sponsorship?.account.address).toBe(account.address);
  });

  it('may name a file of callers, which says with which keys channels to a receiver may be claimed', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'avm402-callers-'));
    const path = join(folder.path, 'callers.json');
    const [shop, first, second] = [account.address, ...[1, 2].map((byte) => addressOf(byte))];
    const caller = (name: string, receiver: string, claimKeys?: readonly unknown[]) => {
      const keySha256 = createHash('sha256').update(name).digest('hex');
      return { name, keySha256, receivers: [receiver], ...(claimKeys && { claimKeys }) };
    };
    const callers = [caller('a', shop, [first]), caller('b', shop, [second]), caller('c', addressOf(3))];
    await writeFile(path, JSON.stringify(callers));
    const { channels } = parseConfig({ ...minimal, CALLERS_FILE: path });
    expect(channels?.claimKeysOf?.(shop)).toEqual(new Set([first, second]));
    expect(channels?.claimKeysOf?.(addressOf(3)), 'who names none takes any').toBeUndefined();
    expect(channels?.claimKeysOf?.(addressOf(4))).toBeUndefined();
    expect(parseConfig(minimal).channels).not.toHaveProperty('claimKeysOf');
  });

  it('may leave a place among the tokens empty: that algod gets none, least of all another one’s', async () => {
    const tokens: Record<string, string | string[] | undefined> = {};
    const server = createServer(({ url = '', headers }, response) => {
      tokens[url] = headers['x-algo-api-token'];
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = (name: string): string => `http://127.0.0.1:${port}/${name}`;
    const { algods } = parseConfig({ ALGOD_URL: `${url('public')},${url('own')}`, ALGOD_TOKEN: ',secret' });
    for (const algod of algods) await algod.health();
    expect(tokens).toEqual({ '/public/health': undefined, '/own/health': 'secret' });
    server.closeAllConnections();
    server.close();
  });

  it('may give the key as 25 words, and the address of an account that is rekeyed to it', () => {
    const rekeyed = accountFromSeed(new Uint8Array(32).fill(6)).address;
    const config = parseConfig({ ...minimal, AVM_MNEMONIC: seedToMnemonic(seed), SPONSOR_ADDRESS: rekeyed });
    expect(config.sponsorship?.account).toMatchObject({ address: rekeyed, signerAddress: account.address });
  });

  it('may name several fee payers, of which each may be rekeyed to its key', () => {
    const other = new Uint8Array(32).fill(7);
    const rekeyed = accountFromSeed(new Uint8Array(32).fill(6)).address;
    const keys = `${encodePrivateKey(seed)}, ${encodePrivateKey(other)}`;
    const { sponsorship } = parseConfig({ ...minimal, AVM_PRIVATE_KEY: keys, SPONSOR_ADDRESS: `,${rekeyed}` });
    expect(sponsorship?.account.address).toBe(account.address);
    expect(sponsorship?.moreAccounts).toMatchObject([
      { address: rekeyed, signerAddress: accountFromSeed(other).address },
    ]);
    const words = parseConfig({ ...minimal, AVM_MNEMONIC: `${seedToMnemonic(seed)},${seedToMnemonic(other)}` });
    expect(words.sponsorship?.moreAccounts).toHaveLength(1);
  });

  it('takes the sponsor’s key by names of its own, whatever a shell has set for a buyer', () => {
    const stranger = new Uint8Array(32).fill(9);
    const buyer = { AVM_PRIVATE_KEY: encodePrivateKey(stranger), AVM_MNEMONIC: seedToMnemonic(stranger) };
    for (const own of [{ SPONSOR_PRIVATE_KEY: encodePrivateKey(seed) }, { SPONSOR_MNEMONIC: seedToMnemonic(seed) }]) {
      expect(parseConfig({ ...minimal, ...buyer, ...own }).sponsorship?.account.address).toBe(account.address);
    }
    const both = { SPONSOR_PRIVATE_KEY: encodePrivateKey(seed), SPONSOR_MNEMONIC: seedToMnemonic(seed) };
    expect(namesOf({ ...minimal, ...both })).toEqual(['SPONSOR_PRIVATE_KEY, SPONSOR_MNEMONIC']);
  });

  it('names every variable that is missing or malformed, all at once', () => {
    expect(
      namesOf({
        PORT: '99999',
        AVM_NETWORK: 'algorand:testnet',
        SPONSOR_PAY_TO: 'NOBODY',
        SPONSOR_ASSETS: 'usdc',
        SPONSOR_MIN_AMOUNT: '-1',
        SPONSOR_ANYONE: 'yes',
        SETTLE_TIMEOUT_MS: 'soon',
        DATABASE_URL: 'mysql://host',
        LOG_LEVEL: 'loud',
        AVM_PRIVATE_KEY: 'x',
        AVM_MNEMONIC: 'y',
        ALGOD_TOKEN: 'a,b',
      }).sort(),
    ).toEqual(
      [
        'ALGOD_TOKEN',
        'ALGOD_URL',
        'AVM_MNEMONIC',
        'AVM_NETWORK',
        'AVM_PRIVATE_KEY',
        'AVM_PRIVATE_KEY, AVM_MNEMONIC',
        'DATABASE_URL',
        'LOG_LEVEL',
        'PORT',
        'SETTLE_TIMEOUT_MS',
        'SPONSOR_ANYONE',
        'SPONSOR_ASSETS',
        'SPONSOR_MIN_AMOUNT',
        'SPONSOR_PAY_TO',
      ].sort(),
    );
  });

  it.each([
    ['an empty URL', { ALGOD_URL: '  ' }, 'ALGOD_URL'],
    ['a URL of another kind', { ALGOD_URL: 'ftp://host' }, 'ALGOD_URL'],
    ['two tokens for three algods', { ALGOD_URL: 'http://a,http://b,http://c', ALGOD_TOKEN: 'a,b' }, 'ALGOD_TOKEN'],
    ['a place too many among the tokens', { ALGOD_URL: 'http://a', ALGOD_TOKEN: 'a,' }, 'ALGOD_TOKEN'],
    ['a key that is none', { ...minimal, AVM_PRIVATE_KEY: 'secret-canary' }, 'AVM_PRIVATE_KEY'],
    ['words that are no mnemonic', { ...minimal, AVM_MNEMONIC: 'canary words' }, 'AVM_MNEMONIC'],
    ['a block of more bits than an address has', { ...minimal, TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES'],
    ['a block whose bits are no number', { ...minimal, TRUSTED_PROXIES: '::1/x' }, 'TRUSTED_PROXIES'],
    [
      'a database URL that is none',
      { ...minimal, DATABASE_URL: 'postgres://user:canary word@host:x/' },
      'DATABASE_URL',
    ],
    [
      'one key of several that is none',
      { ...minimal, AVM_PRIVATE_KEY: `${encodePrivateKey(seed)},secret-canary` },
      'AVM_PRIVATE_KEY',
    ],
    [
      'more rekeyed accounts than keys',
      {
        ...minimal,
        AVM_PRIVATE_KEY: encodePrivateKey(seed),
        SPONSOR_ADDRESS: `${account.address},${account.address}`,
      },
      'SPONSOR_ADDRESS',
    ],
    ['sellers to sponsor, but no key', { ...minimal, SPONSOR_PAY_TO: account.address }, 'SPONSOR_PRIVATE_KEY'],
  ])('refuses %s', (_, environment, name) => {
    expect(namesOf(environment)).toEqual([name]);
    expect(problemsOf(environment).join()).not.toContain('canary');
  });
});
