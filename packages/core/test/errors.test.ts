import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reasonsOf } from '../src/errors/shared-reasons.ts';
import { errorCatalogue, isX402Error, isX402ErrorCode, X402Error, type X402ErrorCode } from '../src/errors.ts';
import { errorsPage, families } from './errors-page.ts';

const codes = Object.keys(errorCatalogue) as X402ErrorCode[];

/** What `@x402/avm` 2.26 answers, and two of `@x402/core`: stock peers know these strings. */
const upstreamReasons = [
  'invalid_exact_avm_amount_mismatch',
  'invalid_exact_avm_asset_mismatch',
  'invalid_exact_avm_confirmation_failed',
  'invalid_exact_avm_facilitator_transferring',
  'invalid_exact_avm_fee_too_high',
  'invalid_exact_avm_group_size_exceeded',
  'invalid_exact_avm_invalid_fee_payer',
  'invalid_exact_avm_invalid_group_id',
  'invalid_exact_avm_invalid_signature',
  'invalid_exact_avm_invalid_transaction',
  'invalid_exact_avm_invalid_version',
  'invalid_exact_avm_network_mismatch',
  'invalid_exact_avm_not_asset_transfer',
  'invalid_exact_avm_payload',
  'invalid_exact_avm_payment_index',
  'invalid_exact_avm_payment_not_signed',
  'invalid_exact_avm_receiver_mismatch',
  'invalid_exact_avm_scheme',
  'invalid_exact_avm_settlement_failed',
  'invalid_exact_avm_simulation_failed',
  'invalid_exact_avm_unsigned_non_facilitator',
  'extension_echo_mismatch',
  'settlement_pending',
];

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

  it('has each code once, in one family, in alphabetical order behind the reasons that all schemes share', () => {
    for (const [name, errors] of families) {
      const shared = Object.keys(reasonsOf(name.replace('-', '_')));
      const own = Object.keys(errors).filter((code) => !shared.includes(code));
      expect(own).toEqual(own.toSorted());
    }
    const listed = families.flatMap(([, errors]) => Object.keys(errors));
    expect(listed.toSorted()).toEqual(codes.toSorted());
  });

  it('keeps upstream’s reasons letter by letter', () => {
    expect(codes).toEqual(expect.arrayContaining(upstreamReasons));
  });

  it('never asks for a payment again while the outcome of one is unknown', () => {
    const unknownOutcome = [
      'settlement_pending',
      'unexpected_settle_error',
      'invalid_exact_avm_confirmation_failed',
    ] as const;
    for (const code of unknownOutcome) expect(errorCatalogue[code]).toMatchObject({ retryable: true, httpStatus: 503 });
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

  it('tells its remedy where nobody catches it, as Node prints it then', () => {
    const printed = inspect(new X402Error('invalid_price'), { customInspect: false });
    expect(printed).toContain(errorCatalogue.invalid_price.remedy);
  });

  it('is recognised by its brand, and by its code', () => {
    const error = new X402Error('invalid_price');
    expect(isX402Error(error)).toBe(true);
    expect(isX402Error(error, 'invalid_price')).toBe(true);
    expect(isX402Error(error, 'invalid_amount')).toBe(false);
    for (const other of [new Error('x'), { code: 'invalid_price' }, null, 'text'])
      expect(isX402Error(other)).toBe(false);
  });

  it('is recognised when another copy of the package made it', async () => {
    const copy: string = '../src/errors.ts?copy';
    const { X402Error: Other } = (await import(copy)) as typeof import('../src/errors.ts');
    const foreign: unknown = new Other('invalid_price');
    expect(foreign).not.toBeInstanceOf(X402Error);
    expect(isX402Error(foreign, 'invalid_price')).toBe(true);
  });

  it('prints its code and no machinery', () => {
    const printed = inspect(new X402Error('invalid_price', { message: 'not a price: "x"' }));
    expect(printed).toContain("code: 'invalid_price'");
    expect(printed).not.toContain('Symbol');
  });

  it('code from outside is checked against the catalogue, prototype keys included', () => {
    expect(isX402ErrorCode('invalid_price')).toBe(true);
    expect(isX402ErrorCode('toString')).toBe(false);
    expect(isX402ErrorCode('__proto__')).toBe(false);
  });
});
