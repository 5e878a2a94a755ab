import { expect, it } from 'vitest';
import { createAlgodClient } from '../src/algod.ts';

it.each([undefined, null, [], 'text', { url: 3 }, { url: 'http://host', token: 3 }, { url: 'http://host', token: [] }])(
  'an algod by %j, which JavaScript lets through, is refused by a code',
  (options) => {
    const refused = expect.objectContaining({ code: 'invalid_algod_options' });
    expect(() => createAlgodClient(options as never)).toThrow(refused);
  },
);

it('waits as long as a timer can where it is to wait for ever', async () => {
  const asked: number[] = [];
  const exchange = ({ timeoutMs }: { readonly timeoutMs: number }) => {
    asked.push(timeoutMs);
    return Promise.resolve({ status: 200, body: new Uint8Array() });
  };
  for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 5]) {
    await createAlgodClient({ url: 'http://host', exchange, timeoutMs }).health();
  }
  expect(asked).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 5]);
});
