import type { AlgodClient } from '@avm402/algorand/algod';
import { isAlgorandError } from '@avm402/algorand/errors';

/** The number of blocks in which somebody else's group may end a channel, after the first look since algod refused this one. */
const WAIT_ROUNDS = 2n;

/** The payer's group that ends a channel: it is signed and sent once, however long its block takes. */
export class OwnGroup {
  readonly #algod: AlgodClient;
  #isSent = false;
  #refusal: { readonly cause: unknown; seenAt?: bigint } | undefined;

  constructor(algod: AlgodClient) {
    this.#algod = algod;
  }

  /**
   * Signs and sends the group, unless that was done. Algod refuses it while another group that ends the channel waits
   * for its block; {@link checkAt} throws the refusal if no other group has ended it.
   * @throws what the signer throws, and what algod throws, except for a refusal
   */
  async send(sign: () => Promise<readonly Uint8Array[]>): Promise<void> {
    if (this.#isSent) return;
    this.#isSent = true;
    const group = await sign();
    try {
      await this.#algod.sendRawTransaction(Uint8Array.from(group.flatMap((bytes) => [...bytes])));
    } catch (cause) {
      if (!isAlgorandError(cause, 'algod_refused')) throw cause;
      this.#refusal = { cause };
    }
  }

  /** @throws the refusal of this group, once enough blocks have followed it, or when the time is over (`isLast`) */
  checkAt(round: bigint, isLast: boolean): void {
    if (!this.#refusal) return;
    // Signing may take longer than blocks: only looks after the refusal tell what followed it.
    this.#refusal.seenAt ??= round;
    if (isLast || round >= this.#refusal.seenAt + WAIT_ROUNDS) throw this.#refusal.cause;
  }
}
