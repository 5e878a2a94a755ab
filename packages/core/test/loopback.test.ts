import { expect, it } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../src/loopback.ts';

it.each(['localhost', 'shop.localhost', '127.0.0.1', '127.255.0.7', '::1', '[::1]'])(
  'the host %s is this machine',
  (name) => expect(isLoopbackHost(name)).toBe(true),
);

it.each(['localhost.example', '127.0.0.1.example', 'notlocalhost', '128.0.0.1', '10.0.0.1', '0.0.0.0', '::2', ''])(
  'the host %j is not',
  (name) => expect(isLoopbackHost(name)).toBe(false),
);

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])(
  'the address %s is this machine',
  (address) => expect(isLoopbackAddress(address)).toBe(true),
);

it.each(['localhost', '::ffff:10.0.0.1', '10.127.0.0', '::1:127.0.0.1', ''])('the address %j is not', (address) =>
  expect(isLoopbackAddress(address)).toBe(false),
);
