import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { decodeTransaction } from '@avm402/algorand/transaction';
import { TESTNET } from '@avm402/algorand/networks';
import { createDevControls } from '@avm402/devnode';
import { accounts } from '../../client/test/chain.ts';
import { merchant } from '../../client/test/seller.ts';
import { nextWindow, settling } from '../../client/test/mandate/mandate-stage.ts';
import { payer as owner, useStage } from '../../client/test/stage.ts';
import { environmentOn } from './pay-on.ts';
import { run, type Ran } from './run.ts';

const stage = useStage();
const environment = environmentOn(stage);

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-mandate-'));
  file = join(folder, 'mandate.json');
});
afterEach(() => rm(folder, { recursive: true }));

const avm402 = (args: readonly string[], more: Record<string, string> = {}): Promise<Ran> =>
  run(args, { environment: environment(more) });

async function create(...args: string[]): Promise<{ readonly stdout: string; readonly agent: Record<string, string> }> {
  const limits = ['--per-payment', '$0.05', '--slots', '2', '--funds', '$1'];
  const { code, stdout, stderr } = await avm402(['mandate', 'create', '--file', file, ...limits, ...args]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [, key = ''] = /^AVM_PRIVATE_KEY {2}(\S+)$/m.exec(stdout) ?? [];
  return { stdout, agent: { AVM_MNEMONIC: '', AVM_PRIVATE_KEY: key } };
}

async function usdcOf(address: string): Promise<bigint> {
  return (await stage.chain.algod.accountAsset(address, TESTNET.usdcAssetId))?.amount ?? 0n;
}

describe('avm402 mandate', () => {
  it('makes a mandate, whose agent pays until the chain stops it; the owner takes the rest back', async () => {
    const before = await usdcOf(owner.address);
    const { stdout, agent } = await create();
    expect(stdout).toMatch(
      /^rules {5}at most \$0.05 a payment and 2 payments in 500 rounds .* so \$0.10, to anybody$/m,
    );
    expect(stdout).toMatch(/^funds {5}\$1 in round \d+$/m);
    // A payment ends with a window, so another expiry would be promised and not kept.
    expect(stdout).toMatch(/^expires {3}after round \d*[05]00, about /m);
    const written = await readFile(file, 'utf8');
    expect(written).not.toContain(agent['AVM_PRIVATE_KEY']);
    const seller = await stage.sellerThat(settling(stage.chain));
    const pay = (): Promise<Ran> => avm402(['pay', seller.url, '--mandate', file], agent);
    expect([(await pay()).code, (await pay()).code]).toEqual([0, 0]);
    expect(await pay()).toMatchObject({ code: 3, stderr: expect.stringContaining('mandate_exhausted: all 2 slots') });
    const shown = await avm402(['mandate', 'show', file], { AVM_MNEMONIC: '' });
    expect(shown.stdout).toContain('holds     $0.98; $0.02 spent of $1');
    expect(shown.stdout).toMatch(/^now {7}0 of 2 slots are free: at most \$0 until round 500 /m);
    expect((await avm402(['mandate', 'add', file, '--funds', '$2'])).stdout).toMatch(/^\$2 added \(round \d+\)$/m);
    expect((await avm402(['mandate', 'list', folder])).stdout).toContain(`${file}  $2.98  `);
    const funded = async (): Promise<string | undefined> =>
      (JSON.parse(await readFile(file, 'utf8')) as { readonly funded?: string }).funded;
    expect(await avm402(['mandate', 'add', file, '--funds', '$2000000'])).toMatchObject({ code: 1 });
    expect(await funded()).toBe('3000000');
    expect((await avm402(['mandate', 'end', file])).stdout).toContain(`ended; everything is back at ${owner.address}`);
    expect(await usdcOf(owner.address)).toBe(before - 20_000n);
    await nextWindow(stage.chain);
    expect(await pay()).toMatchObject({ code: 3 });
    const ended = (await avm402(['mandate', 'show', file])).stdout;
    expect(ended).toContain('nothing can be paid: it is empty');
    expect(ended).not.toContain('spent of');
  });

  it('is ended by its owner only, and by anybody after its expiry', async () => {
    await create('--until', '1h');
    const stranger = { AVM_MNEMONIC: accounts.payer2.mnemonic };
    expect(await avm402(['mandate', 'end', file], stranger)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`only the owner ${owner.address} can do this`),
    });
    await stage.chain.mine(1800);
    expect(await avm402(['mandate', 'end', file], stranger)).toMatchObject({ code: 0 });
  });

  // 400 is what a node answers to a group that it refuses, too.
  it.each([500, 400])(
    'keeps its file and its key where its funding is not known to have failed (%s)',
    async (status) => {
      const controls = createDevControls({ url: stage.chain.url });
      await controls.addFault({ route: 'GET /v2/transactions/pending/{txid}', status });
      const limits = ['--per-payment', '$0.05', '--funds', '$1'];
      const { code, stderr } = await avm402(['mandate', 'create', '--file', file, ...limits]);
      expect({ code, stderr }).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/^AVM_PRIVATE_KEY {2}\S{88}$/m),
      });
      expect(stderr).toMatch(/transaction [A-Z2-7]{52} has left, and is not known to be in a block/);
      const { address } = JSON.parse(await readFile(file, 'utf8')) as { readonly address: string };
      expect(await usdcOf(address)).toBe(1_000_000n);
    },
  );

  it('keeps its file and its key where the answer to its funding was lost', async () => {
    const controls = createDevControls({ url: stage.chain.url });
    await controls.addFault({ route: 'POST /v2/transactions', lose: 'answer' });
    const limits = ['--per-payment', '$0.05', '--funds', '$1'];
    const { code, stderr } = await avm402(['mandate', 'create', '--file', file, ...limits]);
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^AVM_PRIVATE_KEY {2}\S{88}$/m),
    });
    expect(stderr).toMatch(/transaction [A-Z2-7]{52} may have left, and is not known to be in a block/);
    const { address } = JSON.parse(await readFile(file, 'utf8')) as { readonly address: string };
    expect(await usdcOf(address)).toBe(1_000_000n);
  });

  it('replaces its file as a whole: who dies while it is written leaves the old one, without which all is lost', async () => {
    await create();
    const old = join(folder, 'old');
    await link(file, old);
    const before = await readFile(file, 'utf8');
    expect(await avm402(['mandate', 'add', file, '--funds', '$2'])).toMatchObject({ code: 0 });
    expect(await readFile(old, 'utf8')).toBe(before);
    expect(await readFile(file, 'utf8')).toContain('"funded": "3000000"');
    expect((await readdir(folder)).toSorted()).toEqual(['mandate.json', 'old']);
  });

  it('tells an addition that is in a block as such, if only its count can’t be written', async () => {
    await create();
    const controls = createDevControls({ url: stage.chain.url });
    await controls.pause();
    const adding = avm402(['mandate', 'add', file, '--funds', '$2']);
    await expect.poll(async () => (await controls.state()).poolTransactions).toBe(2);
    // The new file is made beside the old one, where something else is by now.
    await mkdir(`${file}.next`);
    await controls.resume();
    expect(await adding).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\$2 added \(round \d+\)$/m),
      stderr: expect.stringContaining('warning: what the mandate got is not counted'),
    });
    expect(await readFile(file, 'utf8')).not.toContain('funded');
  });

  it('is not replaced by the group for a wallet, without which nobody would find it again', async () => {
    const made = ['mandate', 'create', '--per-payment', '$0.05', '--funds', '$1', '--file', file];
    const wallet = ['--owner', owner.address, '--unsigned', file];
    const refused = { code: 2, stderr: expect.stringContaining('is the file of the mandate itself') };
    expect(await avm402([...made, ...wallet], { AVM_MNEMONIC: '' })).toMatchObject(refused);
    expect(await readdir(folder)).toEqual([]);
    await create();
    const before = await readFile(file, 'utf8');
    const same = `${folder}/./mandate.json`;
    expect(await avm402(['mandate', 'end', file, '--unsigned', same])).toMatchObject(refused);
    const linked = join(folder, 'linked.json');
    await symlink(file, linked);
    expect(await avm402(['mandate', 'end', file, '--unsigned', linked])).toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe(before);
    await rm(file);
    const byLink = ['--owner', owner.address, '--unsigned', linked];
    expect(await avm402([...made, ...byLink], { AVM_MNEMONIC: '' })).toMatchObject(refused);
    expect(await readdir(folder)).toEqual(['linked.json']);
  });

  it('makes nothing, and says which file it is, if the group for a wallet can’t be written', async () => {
    const group = join(folder, 'nowhere', 'group.json');
    const limits = ['--per-payment', '$0.05', '--funds', '$1'];
    const made = ['mandate', 'create', '--file', file, ...limits, '--owner', owner.address, '--unsigned', group];
    const { code, stderr } = await avm402(made, { AVM_MNEMONIC: '' });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`can't write ${group}`) });
    expect(stderr).not.toContain('AVM_PRIVATE_KEY');
    expect(await readdir(folder)).toEqual([]);
    await create();
    const before = await readFile(file, 'utf8');
    expect(await avm402(['mandate', 'add', file, '--funds', '$2', '--unsigned', group])).toMatchObject({ code: 2 });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('is given up by the first Ctrl-C, with its file and its key, while its funding is not in a block', async () => {
    const controls = createDevControls({ url: stage.chain.url });
    await controls.pause();
    const interrupt = new AbortController();
    const limits = ['--per-payment', '$0.05', '--funds', '$1'];
    const creating = run(['mandate', 'create', '--file', file, ...limits], {
      environment: environment({}),
      interrupted: interrupt.signal,
    });
    await expect.poll(async () => (await controls.state()).poolTransactions).toBe(3);
    interrupt.abort(new Error('interrupted'));
    const { code, stderr } = await creating;
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringMatching(/^AVM_PRIVATE_KEY {2}\S{88}$/m) });
    await controls.resume();
    const { address } = JSON.parse(await readFile(file, 'utf8')) as { readonly address: string };
    await expect.poll(() => usdcOf(address)).toBe(1_000_000n);
  });

  it('pays the receivers of its file, and nobody else', async () => {
    await writeFile(join(folder, 'receivers'), `${accounts.payer2.address}\n`);
    const { agent } = await create('--receivers', join(folder, 'receivers'));
    const seller = await stage.sellerThat(settling(stage.chain));
    expect(await avm402(['pay', seller.url, '--mandate', file], agent)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${merchant} is not among the mandate's receivers`),
    });
  });

  it('hands the group to a wallet, which signs the members of the owner', async () => {
    const group = join(folder, 'group.json');
    await avm402(
      [
        'mandate',
        'create',
        '--per-payment',
        '$0.05',
        '--funds',
        '$1',
        '--file',
        file,
        '--owner',
        owner.address,
        '--unsigned',
        group,
      ],
      { AVM_MNEMONIC: '' },
    );
    expect((await avm402(['mandate', 'show', file])).stdout).toContain(
      'holds     nothing: its owner has not funded it yet',
    );
    const members = JSON.parse(await readFile(group, 'utf8')) as { txn: string; signers?: string[]; stxn?: string }[];
    expect(members.map(({ signers }) => signers)).toEqual([undefined, [], undefined]);
    const answer = members.map(({ txn, stxn }) =>
      stxn === undefined
        ? Buffer.from(owner.signTransaction(decodeTransaction(Buffer.from(txn, 'base64')))).toString('base64')
        : null,
    );
    const signed = join(folder, 'signed.json');
    const send = async (what: readonly (string | null)[]): Promise<Ran> => {
      await writeFile(signed, JSON.stringify(what));
      return avm402(['mandate', 'send', group, signed], { AVM_MNEMONIC: '' });
    };
    const refused = (stderr: string) => ({ code: 2, stderr: expect.stringContaining(stderr) });
    expect(await send([null, null, null])).toMatchObject(refused('did not sign member 0'));
    expect(await send(answer.toReversed())).toMatchObject(refused('is not member 0'));
    expect(await send(answer)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^confirmed \(round \d+\)$/m) });
    expect((await avm402(['mandate', 'show', file])).stdout).toContain('holds     $1; $0 spent of $1');
    // Whether the wallet will sign that is not known.
    await avm402(['mandate', 'add', file, '--funds', '$2', '--unsigned', group], { AVM_MNEMONIC: '' });
    expect((await avm402(['mandate', 'show', file])).stdout).toMatch(/^holds {5}\$1$/m);
  });

  it('refuses what it can’t be, and replaces no file', async () => {
    const { agent } = await create();
    const made = ['mandate', 'create', '--per-payment', '$0.05', '--funds', '$1', '--file', file];
    expect(await avm402(made)).toMatchObject({ code: 2, stderr: expect.stringContaining("can't write") });
    const other = [...made.slice(0, -1), join(folder, 'other.json')];
    expect(await avm402([...other, '--slots', '0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('slots'),
    });
    expect(await avm402([...other, '--until', 'soon'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('30d'),
    });
    expect(await avm402(['mandate', 'create'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--per-payment'),
    });
    const poor = { AVM_MNEMONIC: '', AVM_PRIVATE_KEY: Buffer.alloc(32, 99).toString('base64') };
    expect(await avm402(other, poor)).toMatchObject({ code: 1 });
    expect((await avm402(['mandate', 'list', folder, '--json'])).stdout).not.toContain('other.json');
    const seller = await stage.sellerThat(settling(stage.chain));
    expect(await avm402(['pay', seller.url, '--mandate', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`names the agent ${parseAccount(agent['AVM_PRIVATE_KEY'] ?? '').address}`),
    });
  });
});
