/** A message and what is said to be its Ed25519 signature: 32, any number of and 64 bytes. */
export interface SignedMessage {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}
