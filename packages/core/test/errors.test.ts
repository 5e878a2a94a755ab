import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, isX402Error, isX402ErrorCode, X402Error, type X402ErrorCode } from '../src/errors.ts';
import { errorsPage } from './errors-page.ts';

const codes = Object.keys(errorCatalogue) as X402ErrorCode[];

describe('the error catalogue', () => {
  it('names a meaning, a remedy and a status for every code', () => {
    for (const code of codes) {
      expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
      const { meaning, remedy, httpStatus } = errorCatalogue[code];
      expect(meaning).toMatch(/\.$/);
      expect(remedy).toMatch(/\.$/);
      expect(httpStatus).toBeGreaterThanOrEqual(400);
      expect(httpStatus).toBeLessThan(600);
    }
  });

  it('is what docs/errors.md says', async () => {
    const page = new URL('../../../docs/errors.md', import.meta.url);
    await expect(errorsPage()).toMatchFileSnapshot(page.pathname);
  });
});

describe('an error', () => {
  it('carries code, remedy, details and cause', () => {
    const cause = new Error('inner');
    const error = new X402Error('settlement_pending', { details: { txId: 'T' }, cause });
    expect(error).toMatchObject({ name: 'X402Error', code: 'settlement_pending', details: { txId: 'T' }, cause });
    expect(error.message).toBe(errorCatalogue.settlement_pending.meaning);
    expect(error.remedy).toBe(errorCatalogue.settlement_pending.remedy);
    expect(error.retryable).toBe(true);
    expect(inspect(error)).toContain('settlement_pending');
  });

  it('is recognised by its brand, and by its code', () => {
    const error = new X402Error('invalid_price');
    expect(isX402Error(error)).toBe(true);
    expect(isX402Error(error, 'invalid_price')).toBe(true);
    expect(isX402Error(error, 'invalid_amount')).toBe(false);
    for (const other of [new Error('x'), { code: 'invalid_price' }, null, 'text'])
      expect(isX402Error(other)).toBe(false);
  });

  it('code from outside is checked against the catalogue, prototype keys included', () => {
    expect(isX402ErrorCode('invalid_price')).toBe(true);
    expect(isX402ErrorCode('toString')).toBe(false);
    expect(isX402ErrorCode('__proto__')).toBe(false);
  });
});
