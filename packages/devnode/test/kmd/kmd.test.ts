import { formatAddress } from '@avm402/algorand/address';
import algosdk from 'algosdk';
import { afterEach, describe, expect, test } from 'vitest';
import { multisig } from '../../src/codec/schema/signed-transaction.ts';
import { Handles } from '../../src/kmd/handles.ts';
import { signMultisigProgram } from '../../src/kmd/sign-multisig.ts';
import { Wallets } from '../../src/kmd/wallets.ts';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { readVector } from '../replay/recording.ts';

const running: Devnode[] = [];
const start = async (options: DevnodeOptions = {}): Promise<Devnode> => {
  const node = await startDevnode({ port: 0, kmdPort: 0, ...options });
  running.push(node);
  return node;
};
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});

function kmdOf({ kmdUrl, token }: Devnode): algosdk.Kmd {
  const { protocol, hostname, port } = new URL(kmdUrl ?? '');
  return new algosdk.Kmd(token, `${protocol}//${hostname}`, port);
}

interface Opened {
  readonly kmd: algosdk.Kmd;
  readonly handle: string;
}

async function openDefaultWallet(node: Devnode): Promise<Opened> {
  const kmd = kmdOf(node);
  const { wallets } = (await kmd.listWallets()) as { wallets: { id: string; name: string }[] };
  expect(wallets.map(({ name }) => name)).toEqual(['unencrypted-default-wallet']);
  const opened = (await kmd.initWalletHandle(wallets[0]?.id ?? '', '')) as { wallet_handle_token: string };
  return { kmd, handle: opened.wallet_handle_token };
}

describe('KMD of a node', () => {
  test('is not there unless asked for', async () => {
    const node = await startDevnode({ port: 0 });
    expect(node.kmdUrl).toBeUndefined();
    await node.stop();
  });

  test('holds the keys of the named accounts, as the official SDK exports them', async () => {
    const node = await start();
    const { kmd, handle } = await openDefaultWallet(node);
    const { addresses } = (await kmd.listKeys(handle)) as { addresses: string[] };
    expect(new Set(addresses)).toEqual(new Set(Object.values(node.accounts).map(({ address }) => address)));
    const { payer } = node.accounts;
    const exported = await kmd.exportKey(handle, '', payer.address);
    expect(Buffer.from(exported.private_key).toString('base64')).toBe(payer.privateKey);
  });

  test('signs a payment that the node confirms', async () => {
    const node = await start();
    const { kmd, handle } = await openDefaultWallet(node);
    const { origin, port } = new URL(node.url);
    const algod = new algosdk.Algodv2(node.token, origin, port);
    const payment = algosdk.makePaymentTxnWithSuggestedParamsFromObject({
      sender: node.accounts.payer.address,
      receiver: node.accounts.merchant.address,
      amount: 5n,
      suggestedParams: await algod.getTransactionParams().do(),
    });
    const signed = await kmd.signTransaction(handle, '', payment);
    const { txid } = await algod.sendRawTransaction(signed).do();
    expect((await algod.pendingTransactionInformation(txid).do()).confirmedRound).toBe(1n);
  });

  test('has an empty default wallet on a chain of one’s own', async () => {
    const { kmd, handle } = await openDefaultWallet(await start({ genesis: readVector('genesis.json') }));
    expect(await kmd.listKeys(handle)).toEqual({});
  });

  test('has an empty default wallet, too, where the state of such a chain is loaded', async () => {
    const other = await start({ genesis: readVector('genesis.json') });
    const { kmd, handle } = await openDefaultWallet(await start({ state: await other.dump() }));
    expect(await kmd.listKeys(handle)).toEqual({});
  });

  test('takes the node’s token and no other', async () => {
    const node = await start({ token: 'of-my-own', auth: false });
    const ask = (token: string) => fetch(`${node.kmdUrl}/v1/wallets`, { headers: { 'X-KMD-API-Token': token } });
    expect((await ask('of-my-own')).status).toBe(200);
    expect((await ask('a'.repeat(64))).status).toBe(401);
  });

  test('stops with the node', async () => {
    const node = await start();
    await node.stop();
    await expect(fetch(`${node.kmdUrl}/versions`)).rejects.toThrow('fetch failed');
  });

  test('names its flag when its port is taken, and leaves nothing running', async () => {
    const first = await start();
    const kmdPort = Number(new URL(first.kmdUrl ?? '').port);
    const servers = () => process.getActiveResourcesInfo().filter((each) => each === 'TCPServerWrap').length;
    const before = servers();
    const second = startDevnode({ port: 0, kmdPort });
    await expect(second).rejects.toThrow(
      expect.objectContaining({ code: 'port_taken', message: expect.stringContaining('--kmd-port') as string }),
    );
    await expect.poll(servers).toBe(before);
  });

  test('goes back with the chain, so that an account made since is not found without its money', async () => {
    const node = await start();
    const kmd = kmdOf(node);
    const names = async (): Promise<string[]> => {
      const { wallets } = (await kmd.listWallets()) as { wallets: { name: string }[] };
      return wallets.map(({ name }) => name);
    };
    const { handle } = await openDefaultWallet(node);
    const before = await kmd.listKeys(handle);
    const snapshot = await node.snapshot();
    const made = (await kmd.createWallet('ALICE', '')) as { wallet: { id: string } };
    const opened = (await kmd.initWalletHandle(made.wallet.id, '')) as { wallet_handle_token: string };
    await kmd.generateKey(handle);
    await kmd.renameWallet(made.wallet.id, '', 'BOB');
    expect(await names()).toEqual(['BOB', 'unencrypted-default-wallet']);
    await node.revert(snapshot);
    expect(await names()).toEqual(['unencrypted-default-wallet']);
    expect(await kmd.listKeys(handle)).toEqual(before);
    await expect(kmd.listKeys(opened.wallet_handle_token)).rejects.toMatchObject({ status: 401 });
    await kmd.createWallet('ALICE', '');
    await node.reset();
    expect(await names()).toEqual(['unencrypted-default-wallet']);
  });

  test('answers a body that is too large, or no JSON, with a refusal', async () => {
    const node = await start();
    const post = async (body: string): Promise<string> => {
      const headers = { 'X-KMD-API-Token': node.token };
      const response = await fetch(`${node.kmdUrl}/v1/wallet/init`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      return response.text();
    };
    expect(await post(`{"wallet_id":"${'x'.repeat(2_000_000)}"}`)).toContain('could not decode request body');
    expect(await post('wallet')).toContain('could not decode request body');
  });
});

describe('a kmd_config.json', () => {
  const asked = async ({ kmdUrl }: Devnode, origin: string, method = 'GET'): Promise<Record<string, string>> => {
    const headers = { Origin: origin, 'Access-Control-Request-Private-Network': 'true' };
    const answer = await fetch(`${kmdUrl}/versions`, { method, headers });
    expect(answer.status).toBe(200);
    return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('access-control-')));
  };
  const SHARED = {
    'access-control-allow-headers': 'X-KMD-API-Token, Content-Type',
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  };

  test('says which origins may read the answers; without one all may', async () => {
    const wallet = 'https://wallet.example';
    const some = await start({ kmdConfig: { allowed_origins: ['http://localhost:3000', wallet] } });
    expect(await asked(some, wallet)).toEqual({ 'access-control-allow-origin': wallet, ...SHARED });
    expect(await asked(some, wallet, 'OPTIONS')).toEqual({ 'access-control-allow-origin': wallet, ...SHARED });
    expect(await asked(some, 'https://other.example')).toEqual({});
    expect(await asked(await start({ kmdConfig: { allowed_origins: null } }), wallet)).toEqual({});
    expect(await asked(await start(), wallet)).toMatchObject({ 'access-control-allow-origin': wallet });
  });

  test('lets pages of the public Internet ask, whatever their origin, in the preflight alone', async () => {
    const node = await start({ kmdConfig: { allowed_origins: [], allow_header_pna: true } });
    expect(await asked(node, 'https://wallet.example', 'OPTIONS')).toEqual({
      'access-control-allow-private-network': 'true',
    });
    expect(await asked(node, 'https://wallet.example')).toEqual({});
    expect(await asked(await start(), 'https://wallet.example', 'OPTIONS')).not.toHaveProperty(
      'access-control-allow-private-network',
    );
  });

  test('says how long a handle lives, and of the other keys the node says that they have no effect', async () => {
    const node = await start({ kmdConfig: { session_lifetime_secs: 7, drivers: {}, address: '' } });
    const { kmd, handle } = await openDefaultWallet(node);
    expect(await kmd.getWallet(handle)).toMatchObject({ wallet_handle: { expires_seconds: 6 } });
    expect(node.ignoredConfig).toEqual(['drivers', 'address']);
  });

  test.each([{ allowed_origins: 'http://localhost' }, { allow_header_pna: 1 }, { session_lifetime_secs: -1 }])(
    'with %j is refused',
    async (kmdConfig) => {
      await expect(startDevnode({ port: 0, kmdConfig })).rejects.toMatchObject({ code: 'invalid_options' });
    },
  );
});

describe('handles', () => {
  test('that nobody released are forgotten a lifetime after they expired', () => {
    let now = 0;
    const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
    const wallets = new Wallets(random);
    const handles = new Handles({ wallets, lifetimeMs: 1000, now: () => now, random });
    const wallet = wallets.create({
      name: 'one',
      driver: 'sqlite',
      password: '',
      masterDerivationKey: new Uint8Array(32),
    });
    const old = handles.open(wallet);
    now = 2001;
    handles.open(wallet);
    expect(() => handles.wallet(old)).toThrow('handle does not exist');
  });
});

test('a multisig that is neither the sender’s nor the signer’s is refused in the words of kmd', () => {
  const wallets = new Wallets((length) => Buffer.alloc(length, 1));
  const wallet = wallets.create({ name: 'w', password: '', driver: 'sqlite', masterDerivationKey: new Uint8Array(32) });
  const publicKey = new Uint8Array(32).fill(2);
  const partial = multisig.of({
    version: 1,
    threshold: 1,
    subsignatures: [{ publicKey, signature: new Uint8Array(64) }],
  });
  const address = formatAddress(publicKey);
  const signing = { handle: '', publicKey, partial, password: '', address, program: Uint8Array.of(1), legacy: false };
  expect(() => signMultisigProgram(wallet, signing)).toThrow(
    'given multisig preimage hashes to neither Sender nor AuthAddr',
  );
});
