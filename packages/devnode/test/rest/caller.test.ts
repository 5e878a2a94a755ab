import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { refuseAllButLocalPrograms } from '../../src/rest/caller.ts';

/** A request from this address, as far as it is looked at. */
function requestFrom(remoteAddress: string | undefined, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers: { host: '127.0.0.1:4001', ...headers } } as IncomingMessage;
}

describe('developer controls', () => {
  test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('answer a program at %s', (address) => {
    expect(() => refuseAllButLocalPrograms(requestFrom(address), 'node.test')).not.toThrow();
  });

  test.each(['192.168.1.9', '10.127.0.0.1', '::ffff:192.0.2.7', 'fe80::1', '::', undefined])(
    'answer only on the machine itself, so not %s',
    (address) => {
      expect(() => refuseAllButLocalPrograms(requestFrom(address), 'node.test')).toThrow(
        expect.objectContaining({ status: 403 }),
      );
    },
  );
});
