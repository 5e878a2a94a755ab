import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDevControls } from '@avm402/devnode';
import { ChannelSeller, type ChannelSellerOptions } from '../../client/test/channels/channel-seller.ts';
import { accounts } from '../../client/test/chain.ts';
import type { Answer } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { run, type Ran, type RunOptions } from './run.ts';

const stage = useStage();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-cli-channels-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function selling(options: ChannelSellerOptions = {}, told: (answer: Answer) => Answer = (answer) => answer) {
  const sold = new ChannelSeller(stage.chain, options);
  const { url } = await stage.sellerThat(async (seen, all) => {
    const answer = await sold.honest(seen, all);
    return sold.came.at(-1)?.type === 'voucher' ? told(answer) : answer;
  });
  return { url, types: () => sold.came.map(({ type }) => type) };
}

function avm402(...args: string[]): Promise<Ran> {
  return avm402With({}, ...args);
}

function avm402With(options: RunOptions, ...args: string[]): Promise<Ran> {
  const { url, token } = stage.chain;
  const environment = { AVM_PRIVATE_KEY: accounts.payer.privateKey, ALGOD_URL: url, ALGOD_TOKEN: token };
  return run([...args, '--channels', join(folder, 'channels.jsonl')], { ...options, environment });
}

describe('avm402 pay --channel', () => {
  it('deposits once, and pays the next runs with a voucher each', async () => {
    const { url, types } = await selling();
    const first = await avm402('pay', url, '--channel');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout).toBe('{"report":"sunny"}');
    expect(first.stderr).toContain('deposit     $1 leaves the account now; what is not spent comes back');
    expect(first.stderr).toMatch(/the deposit$/m);
    expect(first.stderr).toMatch(
      /channel     [A-Z2-7]{58}: \$0.99 of \$1 are left\n {12}avm402 channels close [A-Z2-7]{58} brings them back\n/,
    );
    expect(first.stderr).toContain('settlement  $0.01 charged to the channel');
    const second = await avm402('pay', url, '--channel');
    expect(second).toMatchObject({ code: 0 });
    expect(second.stderr).not.toContain('payment ');
    expect(second.stderr).not.toContain('deposit ');
    expect(second.stderr).toContain(': $0.98 of $1 are left');
    expect(types()).toEqual(['deposit', 'voucher']);
  });

  it('says the same in JSON', async () => {
    const { url } = await selling();
    const { stdout } = await avm402('pay', url, '--channel', '--json');
    const channel = { id: expect.any(String), deposited: '1000000', charged: '10000', left: '990000' };
    const deposit = { price: '$1', amount: '1000000' };
    expect(JSON.parse(stdout)).toMatchObject({ offer: { price: '$0.01', deposit }, channel });
    expect(JSON.parse((await avm402('pay', url, '--channel', '--json')).stdout)).toMatchObject({
      channel: { left: '980000' },
    });
  });

  it('says of a stream what it may have cost: its receipt tells how it began', async () => {
    const { url, types } = await selling({ cost: () => 100n, streamed: 700n });
    for (let process = 0; process < 2; process++) {
      const { code, stderr } = await avm402('pay', url, '--channel');
      expect([code, stderr]).toEqual([0, expect.stringContaining('settlement  $0.0001 to $0.01 charged')]);
    }
    expect(types()).toEqual(['deposit', 'voucher', 'voucher']);
    const listed = await avm402('channels', 'list');
    expect(listed.stdout).toContain(
      '$1 deposited, $0.0009 charged, $0.9991 left; the seller can claim at most $0.0108',
    );
  });

  it.each<[string, (answer: Answer) => Answer, number, string]>([
    ['is lost', () => ({ cut: 'before' }), 5, 'outcome of a voucher not yet known; do not pay again'],
    ['has no receipt', () => ({}), 5, 'outcome of a voucher not yet known, status 200; do not pay again'],
    [
      'breaks off',
      (answer) => ({ ...answer, cut: 'within' }),
      4,
      'payment by voucher settled, but the resource did not answer',
    ],
    [
      'is an error',
      (answer) => ({ ...answer, status: 500 }),
      4,
      'payment by voucher settled, but the resource answered 500',
    ],
  ])('says what it knows of a voucher whose answer %s', async (_what, told, code, words) => {
    const { url } = await selling({}, told);
    expect(await avm402('pay', url, '--channel')).toMatchObject({ code: 0 });
    let clock = Date.now();
    const now = () => (clock += 10_000);
    const { stderr, ...ran } = await avm402With({ now }, 'pay', url, '--channel');
    expect(ran.code, stderr).toBe(code);
    expect(stderr).toContain(words);
  });

  it('signs no second voucher for an answer that breaks off beside its deposit', async () => {
    const sold = new ChannelSeller(stage.chain);
    const { url } = await stage.sellerThat(async (seen, all) => {
      const answer = await sold.honest(seen, all);
      return sold.came.length > 0 ? { ...answer, cut: 'within' } : answer;
    });
    const { code, stderr } = await avm402('pay', url, '--channel');
    expect({ code, stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('but the resource did not answer'),
    });
    expect([...sold.channels.values()].map(({ credit }) => credit.charged)).toEqual([10_000n]);
  });

  it('says that a voucher may be charged if it is interrupted', async () => {
    const controller = new AbortController();
    const { url } = await selling({}, () => {
      controller.abort(new Error('interrupted'));
      return { cut: 'before' };
    });
    await avm402('pay', url, '--channel');
    const { code, stderr } = await avm402With({ interrupted: controller.signal }, 'pay', url, '--channel');
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('outcome of a voucher not yet known'),
    });
  });

  it('is paid even if the file of channels can’t be closed', async () => {
    const { url } = await selling({}, (answer) => {
      rmSync(join(folder, 'channels.jsonl.lock'));
      return answer;
    });
    await avm402('pay', url, '--channel');
    const { code, stdout, stderr } = await avm402('pay', url, '--channel');
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: '{"report":"sunny"}',
      stderr: expect.stringContaining('warning: '),
    });
  });

  it('without --channel pays no such offer', async () => {
    const { url } = await selling();
    expect(await avm402('pay', url)).toMatchObject({ code: 3, stderr: expect.stringContaining('no_acceptable_offer') });
  });
});

it('avm402 pay --channel says of a charge whose answer was not kept that the same request pays anew', async () => {
  const { url } = await selling({}, (answer) => ({ ...answer, status: 402 }));
  await avm402('pay', url, '--channel');
  const { code, stderr } = await avm402('pay', url, '--channel');
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/; it has not kept its answer, and the same request pays anew$/m),
  ]);
});

describe('avm402 channels', () => {
  it('lists, closes, and then has nothing to list', async () => {
    const { url } = await selling();
    expect((await avm402('channels', 'list')).stdout).toBe('the file has no open channel\n');
    await avm402('pay', url, '--channel');
    const listed = await avm402('channels', 'list');
    expect(listed.stdout).toMatch(
      /^[A-Z2-7]{58} open\n {2}\$1 deposited, \$0.01 charged, \$0.99 left; the seller can claim at most \$0.01\n/,
    );
    expect(listed.stdout).toContain(`at ${url}/, until round`);
    const [{ id }] = JSON.parse((await avm402('channels', 'list', '--json')).stdout) as [{ id: string }];
    expect((await avm402('channels', 'close', id)).stdout).toBe(`${id} is closed\n`);
    expect((await avm402('channels', 'list')).stdout).toBe('the file has no open channel\n');
  });

  it('tells the journal what a close brings back, so that only the charge counts against its limits', async () => {
    const { url } = await selling();
    const kept = ['--journal', join(folder, 'payments.jsonl')];
    const pay = () => avm402('pay', url, '--channel', '--per-day', '$1.01', ...kept);
    expect((await pay()).code).toBe(0);
    const [{ id }] = JSON.parse((await avm402('channels', 'list', '--json')).stdout) as [{ id: string }];
    expect((await avm402('channels', 'close', id, ...kept)).stdout).toBe(`${id} is closed\n`);
    expect((await pay()).code).toBe(0);
  });

  it('recovers after the expiry, also what is not on record', async () => {
    const { url } = await selling({ terms: { minRounds: 0n } });
    await avm402('pay', url, '--channel');
    const [{ id }] = JSON.parse((await avm402('channels', 'list', '--json')).stdout) as [{ id: string }];
    expect((await avm402('channels', 'recover', id)).stdout).toMatch(/holds \$1 until round \d+; now it is round/);
    await rm(join(folder, 'channels.jsonl'));
    expect((await avm402('channels', 'recover')).stdout).toBe('the file has no open channel\n');
    await stage.chain.mine(1010);
    expect((await avm402('channels', 'recover', '--from-round', '1')).stdout).toBe(`${id} is closed\n`);
  });

  it('recovers several as one JSON list', async () => {
    const recovered = async (): Promise<unknown> =>
      JSON.parse((await avm402('channels', 'recover', '--json')).stdout) as unknown;
    expect(await recovered()).toEqual([]);
    for (const { url } of [await selling(), await selling()]) await avm402('pay', url, '--channel');
    const open = { channel: expect.any(String), state: 'open', balance: '1000000' };
    expect(await recovered()).toMatchObject([open, open]);
  });

  it('recovers the others if one can’t be recovered', async () => {
    for (const { url } of [await selling(), await selling()]) await avm402('pay', url, '--channel');
    const controls = createDevControls({ url: stage.chain.url });
    await controls.addFault({ route: 'GET /v2/transactions/params', status: 500, times: 1 });
    const { code, stdout } = await avm402('channels', 'recover', '--json');
    const failed = { channel: expect.any(String), error: { code: 'algod_refused' } };
    expect({ code, recovered: JSON.parse(stdout) }).toMatchObject({ code: 1, recovered: [failed, { state: 'open' }] });
  });

  it('knows no channel that is not on record', async () => {
    expect(await avm402('channels', 'close', 'nonsense')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nonsense is not on record'),
    });
  });
});
