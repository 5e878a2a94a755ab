import algosdk from 'algosdk';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMsgpack, encodeMsgpack, type MsgpackInput, type MsgpackValue } from '../src/msgpack.ts';
import { anyCharacter } from './any-character.ts';
import { bytesOfHex, codeOf, hexOf } from './keys.ts';

/** Where the forms of an integer begin and end. */
const BORDERS = [5n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n]
  .flatMap((bits) => [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n, -(2n ** bits), -(2n ** bits) - 1n])
  .filter((value) => value >= -(2n ** 63n) && value < 2n ** 64n);

const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -200n, max: 300n }),
  fc.constantFrom(...BORDERS),
);
const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ minLength: 20, maxLength: 300 }));

const { value: arbitraryValue } = fc.letrec<{ value: MsgpackValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    integer,
    text,
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('value'), { maxLength: 20 }),
    fc
      .uniqueArray(fc.tuple(text, tie('value')), { selector: ([key]) => key, maxLength: 20 })
      .map((list) => new Map(list)),
    fc
      .uniqueArray(fc.tuple(integer, tie('value')), { selector: ([key]) => key, maxLength: 5 })
      .map((list) => new Map(list)),
  ),
}));

describe('encodeMsgpack and decodeMsgpack', () => {
  test('give back every value', () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        expect(decodeMsgpack(encodeMsgpack(value))).toEqual(value);
      }),
    );
  });

  test('do not depend on the order in which a map was made', () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 30 }), (keys) => {
        const forward = new Map(keys.map((key) => [key, 1n]));
        const backward = new Map(keys.toReversed().map((key) => [key, 1n]));
        expect(encodeMsgpack(backward)).toEqual(encodeMsgpack(forward));
      }),
    );
  });

  test('write the same bytes as algosdk for texts, bytes, positive integers and lists', () => {
    const shared = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.string(),
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.nat(), { maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), shared), (value) => {
        expect(hexOf(encodeMsgpack(value))).toBe(hexOf(algosdk.msgpackRawEncode(value)));
      }),
    );
  });
});

describe('encodeMsgpack', () => {
  test.each<[string, MsgpackInput]>([
    ['00', 0],
    ['7f', 127],
    ['cc80', 128],
    ['ce00010000', 65536n],
    ['cf0020000000000000', 2n ** 53n],
    ['ff', -1],
    ['d0df', -33],
    ['a0', ''],
    ['a2c3a4', 'ä'],
    ['82a16102a16201', { b: 1, a: 2 }],
    ['92c3c0', [true, null]],
    ['c4020000', new Uint8Array(2)],
  ])('writes %s in its shortest form', (hex, value) => {
    expect(hexOf(encodeMsgpack(value))).toBe(hex);
  });

  test('sorts keys by their bytes, not by UTF-16 units', () => {
    const keys = decodeMsgpack(encodeMsgpack({ '\u{1F600}': 1, '\uFFFD': 2 })) as Map<string, bigint>;
    expect([...keys.keys()]).toEqual(['\uFFFD', '\u{1F600}']);
  });

  test('uses the long headers from their first length on', () => {
    expect(hexOf(encodeMsgpack('x'.repeat(32)).subarray(0, 2))).toBe('d920');
    expect(hexOf(encodeMsgpack('x'.repeat(256)).subarray(0, 3))).toBe('da0100');
    expect(hexOf(encodeMsgpack('x'.repeat(65536)).subarray(0, 5))).toBe('db00010000');
    expect(hexOf(encodeMsgpack(new Uint8Array(256)).subarray(0, 3))).toBe('c50100');
    expect(hexOf(encodeMsgpack(new Uint8Array(65536)).subarray(0, 5))).toBe('c600010000');
    expect(hexOf(encodeMsgpack(Array.from({ length: 16 }, () => 0)).subarray(0, 3))).toBe('dc0010');
    expect(hexOf(encodeMsgpack(Array.from({ length: 65536 }, () => 0)).subarray(0, 5))).toBe('dd00010000');
  });

  test.each([
    ['undefined', { a: undefined }],
    ['a fraction', 1.5],
    ['a number beyond 2^53', 2 ** 53],
    ['an integer of 65 bits', 2n ** 64n],
    ['an integer below -2^63', -(2n ** 63n) - 1n],
    ['half a surrogate pair', 'a\uD83D'],
    [
      'a map with keys of both kinds',
      new Map<never, number>([
        [1n as never, 1],
        ['a' as never, 1],
      ]),
    ],
    ['a function', { a: () => 1 }],
  ])('refuses %s', (_, value) => {
    expect(codeOf(() => encodeMsgpack(value as never))).toBe('invalid_msgpack');
  });
});

describe('decodeMsgpack', () => {
  test.each([
    ['nothing', ''],
    ['bytes behind the value', '0000'],
    ['a truncated integer', 'cd00'],
    ['a truncated text', 'a3ab'],
    ['a truncated list', '9201'],
    ['a list that claims 2^32-1 items', 'ddffffffff'],
    ['a map that claims 2^32-1 members', 'dfffffffff'],
    ['bytes that claim 2^32-1', 'c6ffffffff00'],
    ['a float', 'ca3f800000'],
    ['a double', 'cb3ff0000000000000'],
    ['an extension', 'd40100'],
    ['the unused code', 'c1'],
    ['a repeated key', '82a16101a16102'],
    ['a list as a key', '819101'],
    ['a text that is not UTF-8', 'a1ff'],
  ])('refuses %s', (_, hex) => {
    expect(codeOf(() => decodeMsgpack(bytesOfHex(hex)))).toBe('invalid_msgpack');
  });

  test('accepts forms that are longer than canonical, with the same value', () => {
    expect(decodeMsgpack(bytesOfHex('cf0000000000000001'))).toBe(1n);
    expect(decodeMsgpack(bytesOfHex('d301ffffffffffffff'))).toBe(2n ** 57n - 1n);
    expect(decodeMsgpack(bytesOfHex('da000161'))).toBe('a');
    expect(decodeMsgpack(bytesOfHex('df00000001a16101'))).toEqual(new Map([['a', 1n]]));
  });

  test('keeps a byte order mark as a character', () => {
    expect(decodeMsgpack(encodeMsgpack('\uFEFFa'))).toBe('\uFEFFa');
  });

  test('gives texts that are not UTF-8 as bytes when asked to', () => {
    expect(decodeMsgpack(bytesOfHex('81a1ffa2ff61'), { invalidUtf8: 'bytes' })).toEqual(
      new Map([[Uint8Array.of(0xff), Uint8Array.of(0xff, 0x61)]]),
    );
  });

  test('refuses nesting beyond its bound, and not before', () => {
    const nested = (depth: number): Uint8Array => Uint8Array.from([...Array.from({ length: depth }, () => 0x91), 0]);
    expect(decodeMsgpack(nested(32))).toBeDefined();
    expect(codeOf(() => decodeMsgpack(nested(33)))).toBe('invalid_msgpack');
    expect(decodeMsgpack(nested(3), { maxDepth: 3 })).toBeDefined();
    expect(codeOf(() => decodeMsgpack(nested(4), { maxDepth: 3 }))).toBe('invalid_msgpack');
  });

  test('a key named __proto__ is just a key', () => {
    const map = decodeMsgpack(encodeMsgpack(new Map([['__proto__', new Map([['x', 1n]])]]))) as Map<
      string,
      MsgpackValue
    >;
    expect(map.get('__proto__')).toEqual(new Map([['x', 1n]]));
    expect({}).not.toHaveProperty('x');
  });

  test('throws nothing but AlgorandError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        try {
          decodeMsgpack(bytes);
        } catch (error) {
          expect(error).toMatchObject({ name: 'AlgorandError', code: 'invalid_msgpack' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
