import { createPublicKey, verify as verifyNatively, type KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { verify } from '@avm402/algorand/ed25519';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';

/** A message and what is said to be its Ed25519 signature: 32, any number of and 64 bytes. */
export interface SignedMessage {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

const MAX_KEYS = 4096;

/** Keys for which algod's own rule has once said yes: canonical and not of small order. */
const soundKeys = new Map<AddressKey, KeyObject>();

/** Judgements between two turns of other events: some milliseconds. */
const JUDGED_AT_ONCE = 8;

/**
 * Whether algod accepts all the signatures, found out on other threads where that is exact: with a sound key a native yes
 * is algod's yes (see algorand's Ed25519 engine). The first signature of a key, and every native no, is judged by the rule
 * itself, which keeps this thread for a millisecond or more: one after another, until one is refused.
 */
export async function verifyInBackground(signatures: readonly SignedMessage[]): Promise<boolean> {
  const certain = await Promise.all(signatures.map(isCertainlyGood));
  const doubtful = signatures.filter((_, index) => !certain[index]);
  for (const [index, signed] of doubtful.entries()) {
    if (index > 0 && index % JUDGED_AT_ONCE === 0) await setImmediate();
    if (!judge(signed)) return false;
  }
  return true;
}

/** The native yes with a sound key; false says nothing. */
async function isCertainlyGood({ publicKey, message, signature }: SignedMessage): Promise<boolean> {
  const key = soundKeys.get(addressKey(publicKey));
  if (key === undefined) return false;
  return new Promise((resolve, reject) => {
    verifyNatively(null, message, key, signature, (error, isGood) => {
      if (error) reject(error);
      else resolve(isGood);
    });
  });
}

function judge({ publicKey, message, signature }: SignedMessage): boolean {
  const isGood = verify(publicKey, message, signature);
  const id = addressKey(publicKey);
  if (isGood && !soundKeys.has(id)) rememberKey(id, publicKey);
  return isGood;
}

function rememberKey(id: AddressKey, publicKey: Uint8Array): void {
  if (soundKeys.size >= MAX_KEYS) soundKeys.clear();
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  soundKeys.set(id, createPublicKey({ key: jwk, format: 'jwk' }));
}
