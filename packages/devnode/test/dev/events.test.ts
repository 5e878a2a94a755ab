import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDevControls, startDevnode, type DevControls, type DevEvent, type Devnode } from '../../src/index.ts';
import { get, payment, submit, WAYS, ZOE } from './stage.ts';

/** A listener that keeps what it is told, and can be waited for. */
function recorder() {
  const events: DevEvent[] = [];
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
  let more = Promise.withResolvers<void>();
  const onEvent = (event: DevEvent): void => {
    events.push(event);
    more.resolve();
    more = Promise.withResolvers();
  };
  const count = async (wanted: number): Promise<readonly DevEvent[]> => {
    while (events.length < wanted) await more.promise;
    return events;
  };
  return { listener: { onEvent, onEnd }, events, ended, count };
}

describe.each(WAYS)('events %s', (_, way) => {
  let node: Devnode;
  let controls: DevControls;
  beforeEach(async () => {
    node = await startDevnode({ port: 0 });
    controls = way(node);
    await controls.fund(ZOE.address, 10_000_000n);
  });
  afterEach(() => node.stop());

  test('tell of every block, with the block and what it changed as algod’s routes do', async () => {
    const { listener, count } = recorder();
    await controls.listen(listener);
    await submit(node, payment(node));
    await controls.mine();
    const events = await count(2);
    expect(events.map(({ kind, round }) => [kind, round])).toEqual([
      ['block', 2n],
      ['block', 3n],
    ]);
    for (const { round, json } of events) {
      const told = JSON.parse(json) as Record<string, unknown>;
      const { block } = (await (await get(node, `/v2/blocks/${round}`)).json()) as { block: unknown };
      const delta: unknown = await (await get(node, `/v2/deltas/${round}`)).json();
      expect(told).toEqual({ round: Number(round), block, delta });
    }
  });

  test('tell of the return to a snapshot', async () => {
    const snapshot = await controls.snapshot();
    await controls.mine(3);
    const { listener, count } = recorder();
    await controls.listen(listener);
    await controls.revert(snapshot);
    expect(await count(1)).toMatchObject([{ kind: 'jump', round: 1n }]);
  });

  test('end when the listener has enough, and when the node stops', async () => {
    const [enough, all] = [recorder(), recorder()];
    const stop = await controls.listen(enough.listener);
    await controls.listen(all.listener);
    void enough.ended.then(() => expect.unreachable('it was the listener that ended it'));
    stop();
    await controls.mine();
    await all.count(1);
    expect(enough.events).toEqual([]);
    await node.stop();
    await all.ended;
  });
});

test('a block that a listener makes is told to all after the one that the listener was told', async () => {
  const node = await startDevnode({ port: 0 });
  const told: bigint[] = [];
  await node.listen({ onEvent: ({ round }) => void (round < 3n && node.mine()), onEnd: () => {} });
  await node.listen({ onEvent: ({ round }) => void told.push(round), onEnd: () => {} });
  await node.mine();
  expect(told).toEqual([1n, 2n, 3n]);
  await node.stop();
});

test('an error that a listener over HTTP throws is told, and the next event comes', async () => {
  const node = await startDevnode({ port: 0 });
  const errors: unknown[] = [];
  const { listener, count } = recorder();
  const onEvent = (event: DevEvent): never => {
    listener.onEvent(event);
    throw new Error(`no use for ${event.round}`);
  };
  await createDevControls({ url: node.url, onListenerError: (error) => errors.push(error) }).listen({
    ...listener,
    onEvent,
  });
  await node.mine(2);
  await count(2);
  expect(errors).toEqual([new Error('no use for 1'), new Error('no use for 2')]);
  await node.stop();
});

test('nobody listens to a node that has stopped: there would never be an end', async () => {
  const node = await startDevnode({ port: 0 });
  await node.stop();
  const listening = node.listen({ onEvent: () => {}, onEnd: () => {} });
  await expect(listening).rejects.toMatchObject({ code: 'shutting_down' });
});
