import { assert, constantFrom, jsonValue, oneof, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isX402Error } from '@avm402/core/errors';
import {
  channelId,
  channelProgram,
  encodeChannelConfig,
  parseChannelConfig,
  parseChannelProgram,
} from '../../src/batch-settlement/channel-config.ts';
import { closer, config, payer } from './channel-fixture.ts';

const wire = encodeChannelConfig(config);
const refused = (value: unknown): unknown => {
  try {
    return parseChannelConfig(value);
  } catch (error) {
    return isX402Error(error) ? [error.code, error.message] : error;
  }
};
const CODE = 'invalid_batch_settlement_avm_channel_config';

describe('a channel’s configuration', () => {
  it('comes back from the wire as it was', () => {
    expect(parseChannelConfig(JSON.parse(JSON.stringify(wire)))).toEqual(config);
  });

  it('comes back from its program, also from one in the middle of a Buffer', () => {
    const program = channelProgram(config);
    expect(parseChannelProgram(program)).toEqual(config);
    const buffer = Buffer.concat([Buffer.alloc(8), program]).subarray(8);
    const read = parseChannelProgram(buffer);
    buffer.fill(0);
    expect(read).toEqual(config);
  });

  it.each(Object.keys(wire))('is refused without %s', (name) => {
    expect(refused({ ...wire, [name]: undefined })).toEqual([CODE, expect.stringContaining(name)]);
  });

  it.each([
    ['an unknown key', { ...wire, withdrawDelay: '900' }, 'withdrawDelay'],
    ['an address with a mistyped character', { ...wire, payer: wire.payer.replace(/^./, 'B') }, 'payer'],
    ['an expiry above 64 bits', { ...wire, expiry: '18446744073709551616' }, 'expiry'],
    ['an expiry with a leading zero', { ...wire, expiry: '01' }, 'expiry'],
    ['a salt of 15 bytes', { ...wire, salt: 'A'.repeat(20) }, 'salt'],
    ['no asset', { ...wire, token: '0' }, 'token'],
    ['a payer who is paid', { ...wire, receiver: payer.address }, 'same'],
    ['a closer who is the payer', { ...wire, receiverAuthorizer: payer.address }, 'payer’s side'],
    ['a closer who signs vouchers', { ...wire, payerAuthorizer: closer.address }, 'payer’s side'],
    ['a list', [wire], 'object'],
    ['a text', 'payer', 'object'],
    ['null', null, 'object'],
  ])('is refused with %s', (_what, value, reason) => {
    expect(refused(value)).toEqual([CODE, expect.stringContaining(reason)]);
  });

  it('is refused, or read, but never fails otherwise', () => {
    const field = oneof(constantFrom(...Object.values(wire)), string(), jsonValue());
    const shape = record(Object.fromEntries(Object.keys(wire).map((name) => [name, field])));
    assert(
      property(oneof(shape, jsonValue()), (value) => {
        const outcome = refused(value);
        expect(Array.isArray(outcome) ? outcome[0] : outcome).toEqual(
          Array.isArray(outcome) ? CODE : expect.any(Object),
        );
      }),
    );
  });

  it.each(Object.keys(config))('gives another channel when %s changes', (name) => {
    const changes = {
      token: 1n,
      expiry: 1n,
      genesisHash: new Uint8Array(32),
      salt: new Uint8Array(16),
    } as const;
    const change = Object.hasOwn(changes, name) ? changes[name as keyof typeof changes] : closer.address;
    const other = name === 'receiverAuthorizer' ? payer.address : change;
    expect(channelId({ ...config, [name]: other })).not.toBe(channelId(config));
  });

  it.each([-1n, 2n ** 64n, 2n ** 64n + 31_566_704n])('makes no program of token or expiry %s', (number) => {
    expect(() => channelProgram({ ...config, token: number })).toThrow(RangeError);
    expect(() => channelProgram({ ...config, expiry: number })).toThrow(RangeError);
  });

  it('makes a program of 404 bytes, whatever it holds', () => {
    expect(channelProgram(config)).toHaveLength(404);
  });
});
