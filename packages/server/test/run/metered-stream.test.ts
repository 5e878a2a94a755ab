import type { SettleResponse } from '@avm402/core/settle-response';
import { describe, expect, it } from 'vitest';
import { Meter } from '../../src/run/charge.ts';
import { MeteredStream } from '../../src/run/metered-stream.ts';
import type { Responder } from '../../src/response/responder.ts';

const receipt: SettleResponse = { success: true, transaction: '', network: 'algorand:x' };

interface Asked {
  readonly record: () => void;
  readonly fail: (error: Error) => void;
}

/** A stream that may cost 100, whose charges are put on record when a test says so, and what happens in its order. */
function streaming({ hasLeft = false } = {}) {
  const happened: string[] = [];
  const asked: Asked[] = [];
  const charging = (name: string) => (cost: bigint) => {
    happened.push(`${name} ${cost}`);
    return new Promise<SettleResponse>((resolve, reject) => {
      asked.push({ record: () => resolve(receipt), fail: reject });
    });
  };
  let leave: () => void = () => undefined;
  const connection = { isFull: false };
  const responder = {
    isClosed: hasLeft,
    onClose: (listener: () => void) => (hasLeft ? listener() : (leave = listener)),
  } as unknown as Responder;
  const meter = new Meter(100n);
  const stream = new MeteredStream(responder, { part: charging('part'), end: charging('end') }, meter);
  stream.begin({
    head: (text) => happened.push(text.length > 0 ? 'head' : 'no receipt'),
    write: ({ chunk }) => happened.push(String(chunk)),
    end: () => happened.push('over'),
    cutOff: (end) => end(),
    get isFull() {
      return connection.isFull;
    },
    drain: () => happened.push('drain'),
  });
  return {
    stream,
    meter,
    happened,
    connection,
    write: (chunk: string, cost = 0n) => {
      meter.add(cost);
      return stream.write({ chunk });
    },
    /** The oldest charge is on record. */
    record: async () => {
      asked.shift()?.record();
      await turn();
    },
    fail: async (error: Error) => {
      asked.shift()?.fail(error);
      await turn();
    },
    leave: () => leave(),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a metered stream', () => {
  it('lets what is written leave in its order, each part once its charge is on record, and the head before all', async () => {
    const { stream, write, record, happened } = streaming();
    write('a', 10n);
    await turn();
    expect(happened).toEqual(['part 10']);
    write('b', 5n);
    write('c', 7n);
    await record();
    expect(happened).toEqual(['part 10', 'head', 'a', 'part 12']);
    await record();
    stream.end({ chunk: 'd' });
    expect(stream.isEnded).toBe(true);
    await record();
    expect(happened.slice(4)).toEqual(['b', 'c', 'end 0', 'd', 'over']);
    await stream.over;
  });

  it('puts a free beginning on record for its head, and no other part that costs nothing', async () => {
    const { stream, write, record, happened } = streaming();
    write('a');
    await record();
    write('b');
    await turn();
    expect(happened).toEqual(['part 0', 'head', 'a', 'b']);
    stream.end({});
    await record();
    expect(happened.slice(4)).toEqual(['end 0', 'over']);
  });

  it('that is written at once has one charge, the last', async () => {
    const { stream, meter, record, happened } = streaming();
    meter.add(9n);
    stream.end({ chunk: 'all' });
    await record();
    expect(happened).toEqual(['end 9', 'head', 'all', 'over']);
  });

  it('writes nothing for a part without bytes', async () => {
    const { stream, record, happened } = streaming();
    expect(stream.write({})).toBe(true);
    await record();
    expect(happened).toEqual(['part 100', 'head']);
  });

  it('takes nothing after its end, and ends once', async () => {
    const { stream, write, record, happened } = streaming();
    write('a', 1n);
    await record();
    stream.end({ chunk: 'b' });
    expect(write('c')).toBe(false);
    stream.end({ chunk: 'd' });
    await record();
    stream.end({});
    expect(write('e')).toBe(false);
    await turn();
    expect(happened).toEqual(['part 1', 'head', 'a', 'end 0', 'b', 'over']);
  });

  it('is cut off, with what was written before, by a charge above what it may cost', async () => {
    const { meter, stream, write, record, happened } = streaming();
    write('a', 100n);
    expect([meter.add(1n), stream.isEnded, write('b')]).toEqual([false, true, false]);
    await record();
    await record();
    expect(happened).toEqual(['part 100', 'head', 'a', 'end 0', 'over']);
  });

  it.each([
    ['65,536 bytes', ['x'.repeat(65_536)], [true]],
    ['one more', ['x'.repeat(65_537)], [false]],
    ['one more in two parts, and any after them', ['x'.repeat(65_536), 'y', ''], [true, false, false]],
    ['as many letters of two bytes', ['é'.repeat(32_769)], [false]],
    ['65,536 bytes after a write of nothing', [undefined, 'x'.repeat(65_536)], [true, true]],
  ])('asks its handler to pause above 64 KiB, and to go on once they have left: %s', async (_name, chunks, goesOn) => {
    const { stream, write, record, happened } = streaming();
    write('first', 1n);
    expect(chunks.map((chunk) => stream.write(chunk === undefined ? {} : { chunk }))).toEqual(goesOn);
    await record();
    await turn();
    expect(happened.filter((what) => what === 'drain')).toEqual(goesOn.includes(false) ? ['drain'] : []);
    expect(happened.at(-1)).toBe(chunks.at(-1));
    expect(stream.write({ chunk: 'x'.repeat(65_536) })).toBe(true);
  });

  it('asks its handler to pause while its client reads more slowly, and to go on with the first part that finds room', async () => {
    const { stream, write, record, happened, connection } = streaming();
    write('a', 1n);
    await record();
    connection.isFull = true;
    expect(stream.write({ chunk: 'b' })).toBe(false);
    await turn();
    connection.isFull = false;
    expect(stream.write({ chunk: 'c' })).toBe(true);
    await turn();
    expect(happened).toEqual(['part 1', 'head', 'a', 'b', 'c', 'drain']);
  });

  it.each([
    ['whose client leaves', async ({ leave }: ReturnType<typeof streaming>) => leave()],
    ['that can’t be charged', ({ fail }: ReturnType<typeof streaming>) => fail(new Error('the disk is full'))],
  ])('%s calls back whoever waits for a part to leave, with an error', async (_name, stop) => {
    const streamed = streaming();
    const told: unknown[] = [];
    const write = (chunk: string) =>
      streamed.stream.write({ chunk, callback: (error) => void told.push([chunk, error]) });
    write('is charged');
    await turn();
    write('waits');
    await stop(streamed);
    write('is late');
    await turn();
    const lost = expect.objectContaining({ code: 'response_not_settleable' });
    expect(told).toEqual(['is charged', 'waits', 'is late'].map((chunk) => [chunk, lost]));
    expect(streamed.happened).toEqual(['part 100']);
  });

  it('that can’t be charged lets nothing more leave: whoever awaits it gets the error, and nobody else', async () => {
    const { stream, write, record, fail, happened } = streaming();
    write('a', 1n);
    await record();
    write('b', 2n);
    write('c', 2n);
    const error = new Error('the disk is full');
    await fail(error);
    expect(write('d')).toBe(false);
    stream.end({});
    await turn();
    expect(happened).toEqual(['part 1', 'head', 'a', 'part 2']);
    await expect(stream.over).rejects.toBe(error);
  });

  it('whose client has left before it begins is over, and charges and takes nothing', async () => {
    const { stream, write, happened } = streaming({ hasLeft: true });
    expect(write('a', 10n)).toBe(false);
    stream.end({ chunk: 'b' });
    await turn();
    expect(happened).toEqual([]);
    await stream.over;
  });

  it('whose client has left is over at once, and charges and takes nothing more', async () => {
    const { stream, write, record, leave, happened } = streaming();
    write('a', 1n);
    await record();
    leave();
    await stream.over;
    expect(write('b', 2n)).toBe(false);
    stream.end({ chunk: 'c' });
    await turn();
    expect(happened).toEqual(['part 1', 'head', 'a']);
  });

  it('whose client leaves while a charge is put on record shows it nothing of that, and charges nothing after it', async () => {
    const { stream, write, record, leave, happened } = streaming();
    write('a', 1n);
    write('b', 2n);
    leave();
    await record();
    await stream.over;
    expect(happened).toEqual(['part 1']);
  });

  it('whose client leaves when all has left is over as before', async () => {
    const { stream, meter, record, leave, happened } = streaming();
    meter.add(3n);
    stream.end({ chunk: 'all' });
    await record();
    leave();
    await stream.over;
    expect(happened).toEqual(['end 3', 'head', 'all', 'over']);
  });
});

describe('a meter', () => {
  const meterThat = (...added: readonly bigint[]) => {
    const meter = new Meter(100n);
    return { meter, could: added.map((amount) => meter.add(amount)) };
  };

  it.each<[string, readonly bigint[], readonly boolean[], bigint]>([
    ['nothing: all that it may cost', [], [], 100n],
    ['0: nothing', [0n], [true], 0n],
    ['twice: the sum', [30n, 12n], [true, true], 42n],
    ['all, and 0: all', [100n, 0n], [true, true], 100n],
    ['more than all: all', [99n, 2n], [true, false], 100n],
    ['more than all, then less: all', [101n, 1n], [false, false], 100n],
  ])('takes what a handler charged that charges %s', (_name, added, could, taken) => {
    const { meter, could: did } = meterThat(...added);
    expect([did, meter.take(), meter.take()]).toEqual([could, taken, 0n]);
  });

  it('takes of a stream what was added since the last time, and cuts it off before what is too much', () => {
    const { meter } = meterThat();
    let cuts = 0;
    meter.streams(() => void cuts++);
    expect([meter.add(60n), meter.take(), meter.add(40n), cuts]).toEqual([true, 60n, true, 0]);
    expect([meter.add(1n), cuts, meter.take()]).toEqual([false, 1, 40n]);
  });
});
