import { describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { TESTNET } from '@avm402/algorand/networks';
import type { Network } from '@avm402/core/network';
import { accounts } from '../../client/test/chain.ts';
import { asking, merchant, network, requirements, seenPayment } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { COMMANDS } from '../src/main.ts';
import { run, type Ran } from './run.ts';

const stage = useStage();

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  AVM_PRIVATE_KEY: accounts.payer.privateKey,
  ALGOD_URL: stage.chain.url,
  ALGOD_TOKEN: stage.chain.token,
  ...more,
});
const avm402 = (args: readonly string[], more: Record<string, string> = {}, input = ''): Promise<Ran> =>
  run(args, { environment: environment(more), input });

describe('the program', () => {
  it.each([[], ['--help'], ['-h'], ['help']])('shows its commands with %s', async (...args) => {
    const { code, stdout } = await avm402(args);
    expect(code).toBe(0);
    for (const name of [
      'pay',
      'quote',
      'sign',
      'balance',
      'optin',
      'fund',
      'keys new',
      'keys show-address',
      'channels list',
      'channels close',
      'channels recover',
      'doctor',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });

  it.each(['pay', 'quote', 'sign', 'balance', 'optin', 'fund', 'keys new', 'keys show-address', 'doctor'])(
    'explains %s with --help',
    async (name) => {
      const { code, stdout } = await avm402([...name.split(' '), '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: avm402 ${name}`);
    },
  );

  it.each(Object.entries(COMMANDS))('%s explains each of its options, and no other', async (_name, load) => {
    const { help, options } = await load();
    const named = [...help.matchAll(/^ {2}(?: {4}|-\w, )(--\S+(?: \S+)*)/gm)].map(([, names = '']) => names);
    const explained = named.flatMap((names) => [...names.matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option));
    expect(explained.toSorted()).toEqual(Object.keys(options).toSorted());
  });

  it('says its version', async () => expect(await avm402(['--version'])).toMatchObject({ code: 0, stdout: '1.2.3\n' }));

  it('refuses an unknown command', async () => {
    const { code, stderr } = await avm402(['steal']);
    expect(code).toBe(2);
    expect(stderr).toContain('avm402 has no command steal');
  });

  it.each([
    ['payy', 'pay'],
    ['balances', 'balance'],
  ])('asks whether %s was meant to be %s', async (mistyped, meant) => {
    const { code, stderr } = await avm402([mistyped, 'x']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `avm402 has no command ${mistyped}; did you mean avm402 ${meant}?\n`,
    });
  });
});

describe('avm402 quote', () => {
  it('says what would be paid and why the other offers would not, and pays nothing', async () => {
    const seller = await stage.sellerThat(() => asking([{ amount: '5000000' }, {}, { scheme: 'deferred' }]));
    const { code, stdout } = await avm402(['quote', seller.url]);
    expect(code).toBe(0);
    expect(stdout).toContain('$0.01 (asset 10458941)');
    expect(stdout).toMatch(/not paid {4}\$5 on .*\$5 is above the limit of \$1/);
    expect(stdout).toMatch(/not paid .*scheme deferred/);
    expect(seller.payments()).toEqual([]);
  });

  it('says every offer that could be paid, the one that would be paid first', async () => {
    const seller = await stage.sellerThat(() =>
      asking([{ amount: '30000' }, { amount: '10000', extra: {} }, { amount: '10000' }]),
    );
    const { stdout } = await avm402(['quote', seller.url]);
    expect(stdout.match(/^(?:offer|or) +\S+/gm)).toEqual([
      'offer       $0.01',
      'or          $0.01',
      'or          $0.03',
    ]);
    const { chosen, offers } = JSON.parse((await avm402(['quote', seller.url, '--json'])).stdout);
    expect(chosen).toMatchObject({ price: '$0.01', extra: { feePayer: expect.any(String) } });
    expect(offers.map(({ amount }: { amount: string }) => amount)).toEqual(['10000', '10000', '30000']);
  });

  it('shows no offer behind a redirect that would not be paid', async () => {
    const elsewhere = await stage.sellerThat(() => asking());
    const seller = await stage.sellerThat(() => ({ status: 307, headers: { Location: elsewhere.url } }));
    for (const command of ['quote', 'pay']) {
      const { code, stdout, stderr } = await avm402([command, seller.url]);
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain('unsafe_redirect');
    }
    expect(elsewhere.payments()).toEqual([]);
  });

  it('shows a network that is offered in two spellings once', async () => {
    const long: Network = `${network}${TESTNET.genesisHash.slice(32).replaceAll('+', '-').replaceAll('/', '_')}`;
    const seller = await stage.sellerThat(() => asking([{ network: long }, {}]));
    const { stdout } = await avm402(['quote', seller.url]);
    expect(stdout.match(/^(?:offer|or|not paid) /gm)).toEqual(['offer ']);
  });

  it('needs no account, and exits 1 when nothing would be paid', async () => {
    const seller = await stage.sellerThat(() => asking([{ asset: '77' }]));
    const { code, stdout } = await avm402(['quote', seller.url, '--json'], { AVM_PRIVATE_KEY: '' });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      offers: [{ asset: '77', refusal: expect.stringContaining('asset 77') }],
    });
  });

  it('says when nothing is asked for', async () => {
    const seller = await stage.sellerThat(() => ({}));
    expect(await avm402(['quote', seller.url])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nothing_to_pay: .* answered 200 and asks for no payment\nRequest it without/),
    });
  });
});

describe('avm402 sign', () => {
  it('prints the payment of an offer on stdin, decoded or as the header came', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const header = (await fetch(seller.url)).headers.get('payment-required') ?? '';
    for (const input of [header, `${Buffer.from(header, 'base64').toString()}\n`]) {
      const { code, stdout } = await avm402(['sign'], {}, input);
      expect(code).toBe(0);
      const proof = Buffer.from(stdout.trim()).toString('base64');
      expect(seenPayment(proof).payload.accepted).toEqual(requirements);
      const paid = await fetch(seller.url, { headers: { 'PAYMENT-SIGNATURE': proof } });
      expect(await paid.json()).toEqual({ report: 'sunny' });
    }
    const { stdout } = await avm402(['sign', '--header'], {}, header);
    expect(seenPayment(stdout.trim()).paymentId).toMatch(/^pay_/);
  });

  it('keeps the limits', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const header = (await fetch(seller.url)).headers.get('payment-required') ?? '';
    expect(await avm402(['sign', '--max', '$0.001'], {}, header)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('spend_limit_exceeded'),
    });
  });

  it.each([
    ['', 'stdin is empty'],
    ['{"a":', 'invalid_payment_required'],
    ['{}', 'invalid_payment_required'],
  ])('refuses %j', async (input, code) => expect((await avm402(['sign'], {}, input)).stderr).toContain(code));
});

describe('accounts', () => {
  it('keys new makes an account whose both secrets give its address', async () => {
    const { stdout } = await avm402(['keys', 'new', '--json']);
    const made = JSON.parse(stdout) as { address: string; mnemonic: string; privateKey: string };
    for (const more of [{ AVM_MNEMONIC: made.mnemonic, AVM_PRIVATE_KEY: '' }, { AVM_PRIVATE_KEY: made.privateKey }]) {
      expect((await avm402(['keys', 'show-address'], more)).stdout).toBe(`${made.address}\n`);
    }
    expect((await avm402(['keys', 'new'])).stdout).toMatch(
      /^address {10}[A-Z2-7]{58}\nAVM_MNEMONIC {5}(\w+ ){24}\w+\nAVM_PRIVATE_KEY {2}\S{88}\n$/,
    );
  });

  it('a new account is funded, opted in and shown on a development node', async () => {
    const { mnemonic, address } = JSON.parse((await avm402(['keys', 'new', '--json'])).stdout) as Record<
      string,
      string
    >;
    const mine = { AVM_MNEMONIC: mnemonic ?? '', AVM_PRIVATE_KEY: '' };
    expect((await avm402(['fund', '--algo', '1.5', '--usdc', '0'], mine)).stdout).toContain(`${address} got 1.50 ALGO`);
    expect((await avm402(['balance'], mine)).stdout).toMatch(
      /ALGO {2}1\.50, of which 0\.10 must stay\n.*not opted in/s,
    );
    expect((await avm402(['optin'], mine)).stdout).toMatch(/opted in to asset 10458941 in round \d+/);
    expect((await avm402(['optin'], mine)).stdout).toContain('already');
    expect((await avm402(['fund', address ?? '', '--algo', '0', '--usdc', '2000'])).stdout).toContain('got $2,000 in');
    expect((await avm402(['balance', address ?? ''])).stdout).toContain('USDC  $2,000 (asset 10458941)');
    const { stdout } = await avm402(['balance', address ?? '', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      address,
      microAlgos: '1499000',
      asset: { assetId: '10458941', amount: '2000000000', isFrozen: false },
    });
  });

  it('says what is missing', async () => {
    expect(await avm402(['balance', 'me'])).toMatchObject({ code: 2, stderr: expect.stringContaining('ADDRESS: ') });
    expect((await avm402(['balance'], { AVM_PRIVATE_KEY: '' })).stderr).toContain('AVM_MNEMONIC');
    for (const command of [
      ['fund', '--algo', 'abc'],
      ['fund', '--usdc', '-1'],
      ['balance', '--asset', 'usdc'],
      ['optin', '--asset', '-'],
      ['channels', 'recover', '--from-round', 'x'],
      ['mcp', '--journal', 'x', '--confirm-above', 'much'],
    ]) {
      expect((await avm402(command)).code, command.join(' ')).toBe(2);
    }
    expect((await avm402(['fund', '--algo', 'abc'])).stderr).toContain('--algo: "abc" is not an amount such as 1.5');
    const poor = parseAccount(Buffer.alloc(32, 77).toString('base64'));
    expect((await avm402(['optin'], { AVM_PRIVATE_KEY: Buffer.alloc(32, 77).toString('base64') })).stderr).toContain(
      'account_unfunded',
    );
    expect((await avm402(['balance', poor.address])).stdout).toContain('ALGO  0,');
  });

  it('a node that is no development node gives nothing', async () => {
    const node = await stage.sellerThat(({ path }) =>
      path.startsWith('/dev/')
        ? { status: 404 }
        : {
            status: 200,
            body: JSON.stringify({
              fee: 0,
              'min-fee': 1000,
              'genesis-id': 'testnet-v1.0',
              'genesis-hash': 'SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=',
              'last-round': 5,
              'consensus-version': 'x',
            }),
          },
    );
    expect((await avm402(['fund', merchant], { ALGOD_URL: node.url })).stderr).toContain('no developer controls');
  });
});
