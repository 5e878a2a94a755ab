import { setImmediate as otherEvents } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { askControl, createDevControls, startDevnode, type Devnode, type DevnodeOptions } from '../../src/index.ts';

const USDC = 10_458_941n;

describe('developer controls', () => {
  let running: Devnode | undefined;
  const start = async (options: DevnodeOptions = {}): Promise<Devnode> => {
    running = await startDevnode({ port: 0, ...options });
    return running;
  };
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  test('mine empty rounds', async () => {
    const { url } = await start();
    const controls = createDevControls({ url });
    expect(await controls.mine()).toBe(1n);
    expect(await controls.mine(25)).toBe(26n);
    expect(running?.latestRound).toBe(26n);
  });

  test('fund an account', async () => {
    const { url, accounts } = await start();
    const controls = createDevControls({ url });
    const { address } = accounts.merchant;
    const before = running?.balance(address).microAlgos ?? 0n;
    expect(await controls.fund(address, 5_000_001n)).toBe(before + 5_000_001n);
  });

  test('deal units of an asset, opting the account in', async () => {
    const node = await start();
    const controls = createDevControls({ url: node.url });
    const { address } = node.accounts.dispenser;
    expect(node.balance(address).assets.has(USDC)).toBe(false);
    expect(await controls.deal(address, USDC, 7n)).toBe(7n);
    expect(await controls.deal(address, USDC, 3n)).toBe(10n);
    expect(node.balance(address).assets.get(USDC)).toBe(10n);
  });

  test('are asked for by name, with values that the node checks', async () => {
    const { url, accounts } = await start();
    const { address } = accounts.dispenser;
    expect(await askControl({ url }, 'deal', { address, 'asset-id': USDC, amount: '7' })).toBe(7n);
    expect(await askControl({ url }, 'mine', { rounds: 2 })).toBe(3n);
    await expect(askControl({ url }, 'revert', { id: 'first' })).rejects.toMatchObject({ code: 'refused' });
  });

  test('need the API token', async () => {
    const { url } = await start({ token: 'secret' });
    await expect(createDevControls({ url }).mine()).rejects.toMatchObject({ code: 'refused', status: 401 });
    expect(await createDevControls({ url, token: 'secret' }).mine()).toBe(1n);
  });

  test.each([0, 10_001])('refuse to mine %i rounds', async (rounds) => {
    const { url } = await start();
    await expect(createDevControls({ url }).mine(rounds)).rejects.toThrow('rounds must be 1 to 10000');
  });

  test('refuse an unknown asset and a malformed address, with the reason', async () => {
    const { url, accounts } = await start();
    const controls = createDevControls({ url });
    await expect(controls.deal(accounts.payer.address, 99n, 1n)).rejects.toMatchObject({ code: 'refused' });
    await expect(controls.fund('nobody', 1n)).rejects.toThrow('failed to decode address nobody from base 32');
  });

  test('tell a listener that has stopped nothing more, not even what came together', async () => {
    const event = (round: number): string => `event: block\nid: ${round}\ndata: {}\n\n`;
    const events = new TransformStream<Uint8Array, Uint8Array>();
    const url = 'http://127.0.0.1:4001';
    const controls = createDevControls({ url, fetch: async () => new Response(events.readable) });
    const told: bigint[] = [];
    const stop = await controls.listen({
      onEvent({ round }) {
        told.push(round);
        stop();
      },
      onEnd: () => expect.unreachable('it was the listener that ended it'),
    });
    await events.writable.getWriter().write(Buffer.from(event(1) + event(2)));
    await otherEvents();
    expect(told).toEqual([1n]);
  });

  test.each([200, 500])('say that the node is gone when an answer with status %i is cut', async (status) => {
    const cut = () => new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) });
    const controls = createDevControls({
      url: 'http://127.0.0.1:4001',
      fetch: async () => new Response(cut(), { status }),
    });
    await expect(controls.mine()).rejects.toMatchObject({ name: 'DevnodeError', code: 'unreachable' });
  });

  test.each([
    ['{"data":{"message":"inside"},"message":"of the node"}', 'of the node'],
    ['{"message":7}', 'status 400'],
    ['not JSON', 'status 400'],
  ])('give the reason in the answer %s', async (body, reason) => {
    const controls = createDevControls({
      url: 'http://127.0.0.1:4001',
      fetch: async () => new Response(body, { status: 400 }),
    });
    await expect(controls.mine()).rejects.toMatchObject({ code: 'refused', message: `the node refused: ${reason}` });
  });

  test('say when there is no node', async () => {
    const { url } = await start();
    await running?.stop();
    running = undefined;
    await expect(createDevControls({ url }).mine()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
