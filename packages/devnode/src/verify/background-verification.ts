import { createPublicKey, verify as verifyNatively, type KeyObject } from 'node:crypto';
import { verify } from '@avm402/algorand/ed25519';
import { addressKey, type AddressKey } from '../ledger/address-key.ts';

/** A message and what is said to be its Ed25519 signature: 32, any number of and 64 bytes. */
export interface SignedMessage {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

const MAX_KEYS = 4096;

/** Keys for which algod's own rule has once said yes: canonical and not of small order. */
const soundKeys = new Map<AddressKey, KeyObject>();

/**
 * Whether algod accepts a signature, found out on another thread where that is exact: with a sound key a native yes is
 * algod's yes (see algorand's Ed25519 engine). The first signature of a key, and every native no, is judged by the rule itself.
 */
export async function verifyInBackground({ publicKey, message, signature }: SignedMessage): Promise<boolean> {
  const id = addressKey(publicKey);
  const key = soundKeys.get(id);
  if (key === undefined) {
    const isGood = verify(publicKey, message, signature);
    if (isGood) rememberKey(id, publicKey);
    return isGood;
  }
  return new Promise((resolve, reject) => {
    verifyNatively(null, message, key, signature, (error, isGood) => {
      if (error) reject(error);
      else resolve(isGood || verify(publicKey, message, signature));
    });
  });
}

function rememberKey(id: AddressKey, publicKey: Uint8Array): void {
  if (soundKeys.size >= MAX_KEYS) soundKeys.clear();
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  soundKeys.set(id, createPublicKey({ key: jwk, format: 'jwk' }));
}
