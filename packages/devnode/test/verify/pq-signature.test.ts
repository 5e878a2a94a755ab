import { expect, test } from 'vitest';
import { pqSignature } from '../../src/codec/schema/signed-transaction.ts';
import { pqAddress, pqSignatureProblem } from '../../src/verify/pq-signature.ts';

test.each([
  ['another header', Buffer.of(0x3a, 0, 1), -4],
  ['only a header', Buffer.of(0xba), -4],
  ['nothing after the header', Buffer.of(0xba, 0), -3],
  ['bytes to spare', Buffer.concat([Buffer.of(0xba, 0), Buffer.alloc(3000, 0xff)]), -3],
])('a Falcon signature with %s is refused by code', (_what, signature, code) => {
  const publicKey = Buffer.concat([Buffer.of(0x0a), Buffer.alloc(1792)]);
  const signed = pqSignature.of({ scheme: Buffer.from('f1'), publicKey, signature });
  const claim = { signature: signed, authorizer: pqAddress(signed), message: Buffer.from('TX') };
  expect(pqSignatureProblem(claim)).toBe(`invalid falcon-1024 signature: error code ${code}: falcon verify failed`);
});
