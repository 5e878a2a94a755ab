/** A message and its alleged Ed25519 signature: a key of 32 bytes, a message of any length, a signature of 64. */
export interface SignedMessage {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}
