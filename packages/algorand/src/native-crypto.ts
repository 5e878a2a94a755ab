/** An opaque handle of `node:crypto`. */
export interface NativeKey {
  export(options: { format: 'der'; type: 'spki' }): Uint8Array;
}

/** The part of `node:crypto` used here, typed by hand because this package has no Node types: it also runs in a browser. */
export interface NativeCrypto {
  /** The digest as a string with one character per byte. */
  hash(algorithm: string, data: Uint8Array, encoding: 'latin1'): string;
  createPrivateKey(key: { key: Uint8Array; format: 'der'; type: 'pkcs8' }): NativeKey;
  createPublicKey(key: { key: Uint8Array; format: 'der'; type: 'spki' } | NativeKey): NativeKey;
  sign(algorithm: null, message: Uint8Array, key: NativeKey): Uint8Array;
  verify(algorithm: null, message: Uint8Array, key: NativeKey, signature: Uint8Array): boolean;
  getHashes(): string[];
}

interface NativeProcess {
  getBuiltinModule?(id: 'node:crypto'): NativeCrypto | undefined;
}

function findNativeCrypto(): NativeCrypto | undefined {
  const { process } = globalThis as { process?: NativeProcess };
  const crypto = process?.getBuiltinModule?.('node:crypto');
  // Runtimes that imitate Node may lack an algorithm; a partial native crypto is not used.
  return crypto?.getHashes().includes('sha512-256') === true ? crypto : undefined;
}

/** `node:crypto` where the runtime has it (Node since 20.16); `undefined` in a browser. */
export const nativeCrypto: NativeCrypto | undefined = findNativeCrypto();
