import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { decodeStrictBase64, encodeBase64 } from '../src/base64.ts';

describe('base64', () => {
  test('comes back as it was, and is what Node writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeStrictBase64(text)).toEqual(bytes);
      }),
    );
  });

  test('has one spelling for each value', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (bytes, at, character) => {
          const text = encodeBase64(bytes);
          const index = at % text.length;
          const changed = text.slice(0, index) + character + text.slice(index + 1);
          const decoded = decodeStrictBase64(changed);
          if (decoded !== undefined) expect(encodeBase64(decoded)).toBe(changed);
          for (const other of [` ${text}`, `${text}\n`, `${text}=`, text.slice(0, -1)]) {
            expect(decodeStrictBase64(other)).toBeUndefined();
          }
        },
      ),
    );
  });
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
      expect(browser.decodeStrictBase64(text)).toEqual(decodeStrictBase64(text));
    }),
  );
});
