import { readFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSigner, publicKeyFromSeed, sign, verify } from '../src/ed25519.ts';
import { type Ed25519Engine, nativeEd25519, nobleEd25519 } from '../src/ed25519-engine.ts';
import { isCanonicalY, isScalarBelowOrder, isSmallOrderY } from '../src/ed25519-point.ts';
import { sha512 } from '../src/hash.ts';
import { type NativeCrypto, nativeCrypto } from '../src/native-crypto.ts';
import { bytesOfHex, codeOf, hexOf } from './keys.ts';

const native = nativeCrypto as NativeCrypto;
const engines: [string, Ed25519Engine][] = [
  ['noble', nobleEd25519],
  ['native', nativeEd25519(native)],
];

interface Edge {
  readonly note: string;
  readonly publicKey: string;
  readonly message: string;
  readonly signature: string;
  readonly accepted: boolean;
}

/** Signed transactions that a real algod (v5.0.0) accepted or refused for their signature. */
const EDGES: Edge[] = JSON.parse(readFileSync(new URL('vectors/ed25519-edges.json', import.meta.url), 'utf8'));

// RFC 8032 §7.1.
const RFC8032 = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
];

describe.each(engines)('%s', (_, engine) => {
  test.each(RFC8032)('signs and verifies the RFC 8032 vector with message "$message"', (vector) => {
    const signer = engine.createSigner(bytesOfHex(vector.seed));
    expect(hexOf(signer.publicKey)).toBe(vector.publicKey);
    expect(hexOf(signer.sign(bytesOfHex(vector.message)))).toBe(vector.signature);
    expect(engine.verify(signer.publicKey, bytesOfHex(vector.message), bytesOfHex(vector.signature))).toBe(true);
  });

  test.each(EDGES)('answers as algod did: $note', ({ publicKey, message, signature, accepted }) => {
    expect(engine.verify(bytesOfHex(publicKey), bytesOfHex(message), bytesOfHex(signature))).toBe(accepted);
  });

  test('signers do not depend on the seed array after they are made', () => {
    const seed = Buffer.alloc(32, 7);
    const signer = engine.createSigner(seed);
    const before = signer.sign(Uint8Array.of(1));
    seed.fill(0);
    expect(signer.sign(Uint8Array.of(1))).toEqual(before);
    expect(Object.keys(signer)).not.toContain('seed');
  });

  test('leaves Buffers of the caller as they are', () => {
    const buffers = EDGES.slice(0, 40).map((edge) => {
      const key = Buffer.from(edge.publicKey, 'hex');
      const signature = Buffer.from(edge.signature, 'hex');
      engine.verify(key, bytesOfHex(edge.message), signature);
      return { publicKey: hexOf(key), signature: hexOf(signature) };
    });
    expect(buffers).toEqual(EDGES.slice(0, 40).map(({ publicKey, signature }) => ({ publicKey, signature })));
  });
});

test('the edge cases hold both answers, so that neither "yes" nor "no" alone would pass', () => {
  expect(EDGES.filter(({ accepted }) => accepted).length).toBeGreaterThan(30);
  expect(EDGES.filter(({ accepted }) => !accepted).length).toBeGreaterThan(30);
});

const ORDER = ed25519.Point.Fn.ORDER;
const P = 2n ** 255n - 19n;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

function bigintOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** The eight points of small order, as multiples of one of order 8. */
const TORSION_GENERATOR = ed25519.Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');
const TORSION = Array.from({ length: 8 }, (_, index) =>
  index === 0 ? ed25519.Point.ZERO : TORSION_GENERATOR.multiply(BigInt(index)),
);

/**
 * A signature by hand with parts of small order in A and R: it satisfies the equation with the cofactor, and the one
 * without it only now and then.
 */
function mixedSignature(secret: bigint, nonce: bigint, torsionA: number, torsionR: number, message: Uint8Array) {
  const base = ed25519.Point.BASE;
  const publicKey = base
    .multiply(secret)
    .add(TORSION[torsionA] ?? base)
    .toBytes();
  const r = base
    .multiply(nonce)
    .add(TORSION[torsionR] ?? base)
    .toBytes();
  const digest = sha512(Uint8Array.of(...r, ...publicKey, ...message));
  const s = (nonce + (bigintOf(digest) % ORDER) * secret) % ORDER;
  return { publicKey, message, signature: Uint8Array.of(...r, ...littleEndian(s)) };
}

/** A signature that anyone can make for a key of small order: R = S·B, and a message whose digest cancels the key. */
function signatureByTorsion(publicKey: Uint8Array) {
  const r = ed25519.Point.BASE.multiply(12345n).toBytes();
  for (let byte = 0; ; byte++) {
    const message = Uint8Array.of(byte);
    const digest = sha512(Uint8Array.of(...r, ...publicKey, ...message));
    // Implementations reduce the digest modulo the order of B before they multiply.
    if ((bigintOf(digest) % ORDER) % 8n === 0n)
      return { message, signature: Uint8Array.of(...r, ...littleEndian(12345n)) };
  }
}

const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n });
const torsion = fc.integer({ min: 0, max: 7 });
const mixed = fc
  .tuple(scalar, scalar, torsion, torsion, fc.uint8Array({ maxLength: 40 }))
  .map((parts) => mixedSignature(...parts));

const signBit = fc.constantFrom(0n, 2n ** 255n);

const strangePoint = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  torsion.map((index) => (TORSION[index] ?? ed25519.Point.ZERO).toBytes()),
  // y from p on: not canonical. With and without the sign bit.
  fc.tuple(fc.bigInt({ min: P, max: 2n ** 255n - 1n }), signBit).map(([y, bit]) => littleEndian(y + bit)),
  fc.constantFrom(1n, P - 1n).map((y) => littleEndian(y + 2n ** 255n)),
);

const tampered = fc
  .tuple(mixed, fc.nat(127), fc.integer({ min: 0, max: 3 }), strangePoint)
  .map(([valid, bit, kind, point]) => {
    const signature = Uint8Array.from(valid.signature);
    if (kind === 0) signature[bit >> 1] = (signature[bit >> 1] ?? 0) ^ (1 << (bit & 7));
    if (kind === 1) signature.set(littleEndian(bigintOf(signature.subarray(32)) + ORDER), 32);
    if (kind === 2) signature.set(point);
    return { ...valid, signature, publicKey: kind === 3 ? point : valid.publicKey };
  });

describe('native and noble', () => {
  const fast = nativeEd25519(native);

  test('agree on every signature with parts of small order', () => {
    fc.assert(
      fc.property(mixed, ({ publicKey, message, signature }) => {
        expect(nobleEd25519.verify(publicKey, message, signature)).toBe(true);
        expect(fast.verify(publicKey, message, signature)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('agree on every tampered signature and every strange point', () => {
    fc.assert(
      fc.property(tampered, ({ publicKey, message, signature }) => {
        expect(fast.verify(publicKey, message, signature)).toBe(nobleEd25519.verify(publicKey, message, signature));
      }),
      { numRuns: 150 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'refuse a signature that anyone can make for key of small order number %i',
    (index) => {
      const publicKey = (TORSION[index] ?? ed25519.Point.BASE).toBytes();
      const { message, signature } = signatureByTorsion(publicKey);
      expect(fast.verify(publicKey, message, signature)).toBe(false);
      expect(nobleEd25519.verify(publicKey, message, signature)).toBe(false);
    },
  );

  test('make the same signatures', () => {
    const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(seed, fc.uint8Array(), (secret, message) => {
        expect(fast.createSigner(secret).sign(message)).toEqual(nobleEd25519.createSigner(secret).sign(message));
      }),
      { numRuns: 20 },
    );
  });
});

describe('what the native answer depends on', () => {
  test('the small-order test finds exactly the eight points of small order', () => {
    expect(TORSION.every((point) => isSmallOrderY(point.toBytes()))).toBe(true);
    expect(new Set(TORSION.map((point) => point.toHex())).size).toBe(8);
    expect(isSmallOrderY(ed25519.Point.BASE.toBytes())).toBe(false);
  });

  test('y is canonical below p and not from p on, whatever the sign', () => {
    for (const bit of [0n, 2n ** 255n]) {
      expect(isCanonicalY(littleEndian(P - 1n + bit))).toBe(true);
      expect(isCanonicalY(littleEndian(P + bit))).toBe(false);
      expect(isCanonicalY(littleEndian(2n ** 255n - 1n + bit))).toBe(false);
    }
  });

  test('S is below the order of the group or refused', () => {
    expect(isScalarBelowOrder(littleEndian(ORDER - 1n))).toBe(true);
    expect(isScalarBelowOrder(littleEndian(ORDER))).toBe(false);
    expect(isScalarBelowOrder(littleEndian(2n ** 256n - 1n))).toBe(false);
  });

  test('a native "yes" counts only for a key that is canonical and not of small order', () => {
    // OpenSSL 3.0 (Node 20) says yes to signatures by keys of small order, OpenSSL 3.5 (Node 24) does not.
    const agreeable = nativeEd25519({ ...native, verify: () => true });
    const answerFor = (publicKey: Uint8Array): boolean =>
      agreeable.verify(publicKey, Uint8Array.of(1), new Uint8Array(64));
    expect(answerFor(publicKeyFromSeed(new Uint8Array(32)))).toBe(true);
    expect(TORSION.map((point) => answerFor(point.toBytes()))).toEqual(TORSION.map(() => false));
    expect([P, P + 3n, P + 3n + 2n ** 255n, 1n + 2n ** 255n].map((y) => answerFor(littleEndian(y)))).not.toContain(
      true,
    );
  });

  test('keys of one owner are imported once, and a native "no" alone decides nothing', () => {
    let imports = 0;
    let verifications = 0;
    const counting: NativeCrypto = {
      ...native,
      createPublicKey: (key) => {
        imports++;
        return native.createPublicKey(key);
      },
      verify: () => {
        verifications++;
        return false;
      },
    };
    const engine = nativeEd25519(counting);
    const seed = new Uint8Array(32).fill(1);
    const publicKey = publicKeyFromSeed(seed);
    const signature = sign(seed, Uint8Array.of(1));
    expect([1, 2, 3].map(() => engine.verify(publicKey, Uint8Array.of(1), signature))).toEqual([true, true, true]);
    expect({ imports, verifications }).toEqual({ imports: 1, verifications: 3 });
  });
});

describe('signatures that were verified', () => {
  const seed = new Uint8Array(32).fill(1);
  const good = {
    publicKey: publicKeyFromSeed(seed),
    message: Uint8Array.of(1, 2),
    signature: sign(seed, Uint8Array.of(1, 2)),
  };

  const countingEngine = () => {
    const counts = { verifications: 0 };
    const counting: NativeCrypto = {
      ...native,
      verify: (...args) => {
        counts.verifications++;
        return native.verify(...args);
      },
    };
    return { counts, engine: nativeEd25519(counting) };
  };

  test('are not verified again while they are among the last', () => {
    const { counts, engine } = countingEngine();
    const answers = [1, 2, 3].map(() => engine.verify(good.publicKey, good.message, good.signature));
    expect(answers).toEqual([true, true, true]);
    expect(counts.verifications).toBe(1);
    for (let index = 0; index < 2048; index++) {
      const message = Uint8Array.of(index >> 8, index, 0);
      engine.verify(good.publicKey, message, sign(seed, message));
    }
    expect(engine.verify(good.publicKey, good.message, good.signature)).toBe(true);
    expect(counts.verifications).toBe(1 + 2048 + 1);
  });

  test('vouch for no other byte of key, message or signature, however the bytes are divided', () => {
    const { engine } = countingEngine();
    const { publicKey, message, signature } = good;
    expect(engine.verify(publicKey, message, signature)).toBe(true);
    const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
    for (let at = 0; at < 32; at++) expect(engine.verify(flipped(publicKey, at), message, signature)).toBe(false);
    for (let at = 0; at < 64; at++) expect(engine.verify(publicKey, message, flipped(signature, at))).toBe(false);
    for (let at = 0; at < 2; at++) expect(engine.verify(publicKey, flipped(message, at), signature)).toBe(false);
    expect(engine.verify(publicKey, Uint8Array.of(...message, 0), signature)).toBe(false);
    expect(engine.verify(publicKey, message.subarray(1), signature)).toBe(false);
  });

  test('that were refused are verified again', () => {
    const { counts, engine } = countingEngine();
    const wrong = sign(seed, Uint8Array.of(3));
    expect([1, 2].map(() => engine.verify(good.publicKey, good.message, wrong))).toEqual([false, false]);
    expect(counts.verifications).toBe(2);
  });
});

describe('the public functions', () => {
  const seed = new Uint8Array(32).fill(9);
  const message = Uint8Array.of(1, 2, 3);

  test('verify what they sign, and nothing else', () => {
    const signature = sign(seed, message);
    expect(verify(publicKeyFromSeed(seed), message, signature)).toBe(true);
    expect(verify(publicKeyFromSeed(seed), Uint8Array.of(1, 2), signature)).toBe(false);
    expect(verify(publicKeyFromSeed(new Uint8Array(32)), message, signature)).toBe(false);
    expect(createSigner(seed).sign(message)).toEqual(signature);
  });

  test('bytes of a wrong length are no signature', () => {
    const signature = sign(seed, message);
    const publicKey = publicKeyFromSeed(seed);
    expect(verify(publicKey, message, signature.subarray(1))).toBe(false);
    expect(verify(publicKey, message, Uint8Array.of(...signature, 0))).toBe(false);
    expect(verify(publicKey.subarray(1), message, signature)).toBe(false);
    expect(verify(new Uint8Array(), message, new Uint8Array())).toBe(false);
  });

  test('a seed of a wrong length is refused', () => {
    expect(codeOf(() => sign(new Uint8Array(31), message))).toBe('invalid_key');
    expect(codeOf(() => publicKeyFromSeed(new Uint8Array(64)))).toBe('invalid_key');
  });
});
