import { expect, it } from 'vitest';
import { createAlgodClient } from '../src/algod.ts';

it.each([undefined, null, [], 'text', { url: 3 }, { url: 'http://host', token: 3 }, { url: 'http://host', token: [] }])(
  'an algod by %j, which JavaScript lets through, is refused by a code',
  (options) => {
    const refused = expect.objectContaining({ code: 'invalid_algod_options' });
    expect(() => createAlgodClient(options as never)).toThrow(refused);
  },
);
