import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { decodeBase64, encodeBase64 } from '../src/base64.ts';

test('gives back all bytes, in the alphabets and paddings that are in use', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const base64 = encodeBase64(bytes);
      expect(base64).toBe(Buffer.from(bytes).toString('base64'));
      expect(decodeBase64(base64)).toEqual(bytes);
      expect(decodeBase64(base64.replaceAll('=', ''))).toEqual(bytes);
      expect(decodeBase64(Buffer.from(bytes).toString('base64url'))).toEqual(bytes);
    }),
  );
});

test.each([
  ['a space', 'AA A'],
  ['a foreign character', 'AA*A'],
  ['a length that no bytes have', 'A'],
  ['unused bits that are set', 'AB=='],
  ['padding in the middle', 'AA==AAAA'],
])('refuses %s', (_, text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

test('takes time in proportion to the text, also of a text that is all padding', () => {
  const started = performance.now();
  expect(decodeBase64(`${'='.repeat(1_000_000)}x`)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(1_000);
});

test('where there is no Buffer, as in a browser, everything is read and written the same', async () => {
  vi.stubGlobal('Buffer', undefined);
  vi.resetModules();
  const browser = await import('../src/base64.ts');
  vi.unstubAllGlobals();
  const anyText = fc.oneof(fc.base64String(), fc.string(), fc.stringMatching(/^[AZaz09+/_= -]*$/));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), anyText, (bytes, text) => {
      expect(browser.encodeBase64(bytes)).toBe(encodeBase64(bytes));
      expect(browser.decodeBase64(text)).toEqual(decodeBase64(text));
    }),
  );
});
