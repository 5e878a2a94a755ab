import type { AlgodClient } from '@avm402/algorand/algod';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { MandateSlots, mandateWallet, slotOfLease } from '@avm402/avm/mandate';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { type Sleep, startTimeLimit } from '../http/waiting.ts';
import { type KnownMandate } from './mandate.ts';
import { ownVerdict } from './own-verdict.ts';
import { timeOfRound } from './round-time.ts';

/** The agent's key; an `Account` is one. */
export interface AgentKey {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

export interface MandateAgentOptions {
  readonly mandate: KnownMandate;
  readonly agentKey: AgentKey;
  /** The buyer's own node, on the mandate's network. */
  readonly algod: AlgodClient;
  /** How long to wait for a free slot, ms. */
  readonly waitForSlotMs: number;
  readonly random?: (bytes: number) => Uint8Array;
  readonly now: () => number;
  readonly sleep: Sleep;
}

const PAUSE_MS = 1_000;

/**
 * Makes payments of a mandate with the agent's key. Other processes may have the same key: each chooses slots at random,
 * asks its own node about the payment before it leaves, and takes another slot if that one is taken.
 */
export class MandateAgent {
  /** Signs groups of the mandate; each time in a slot that this process has not used. */
  readonly wallet: ReturnType<typeof mandateWallet>;
  readonly #options: MandateAgentOptions;
  readonly #slots: MandateSlots;

  /** @throws X402Error `invalid_mandate` if the key is not the one that the mandate names */
  constructor(options: MandateAgentOptions) {
    this.#options = options;
    const { mandate, agentKey, random } = options;
    const { config, receivers } = mandate;
    if (agentKey.address !== config.agent) {
      const message = `the agent's key belongs to ${agentKey.address}, the mandate names ${config.agent}`;
      throw new X402Error('invalid_mandate', { message });
    }
    this.#slots = new MandateSlots(config.slots, random);
    const takeSlot = (lastRound: bigint, until: bigint): bigint => this.#slots.take(lastRound, until);
    this.wallet = mandateWallet({ mandate: config, agent: agentKey, takeSlot, ...(receivers && { receivers }) });
  }

  /**
   * Makes a payment that the buyer's own node would take.
   * @param make - makes one, in another slot each time
   * @param renew - asks the node again for its latest round
   * @param signal - aborts when nobody waits for the payment any more
   * @throws X402Error `mandate_exhausted` with the round and the time of the next free slot, `mandate_refuses`,
   * `account_short_of_asset`; what `make` and algod throw; the signal's reason
   */
  async payment<T extends { readonly members: readonly Uint8Array[] }>(
    make: () => Promise<T>,
    renew: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { now, waitForSlotMs, sleep, algod } = this.#options;
    const timeLeft = startTimeLimit(waitForSlotMs, now);
    for (let isFresh = false; ;) {
      try {
        return await this.#inFreeSlot(make, signal);
      } catch (error) {
        if (!isX402Error(error, 'mandate_exhausted')) throw error;
        if (isFresh && timeLeft() <= 0) throw await this.#exhausted(error, algod);
        if (isFresh) await sleep(Math.min(PAUSE_MS, timeLeft()), signal);
        await renew();
        isFresh = true;
      }
    }
  }

  async #inFreeSlot<T extends { readonly members: readonly Uint8Array[] }>(
    make: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    for (;;) {
      const made = await make();
      try {
        const refusal = await ownVerdict(this.#options.algod, made.members);
        signal?.throwIfAborted();
        if (refusal === undefined) return made;
        // Another process has paid in this slot. Ours counts it as taken already.
        if (refusal.kind !== 'lease_held') throw this.#refusal(refusal.kind, refusal.text);
      } catch (error) {
        this.release(made.members);
        throw error;
      }
    }
  }

  /** A payment never leaves, so its slot is free for the next one. */
  release(members: readonly Uint8Array[]): void {
    const transactions = members.map((member) => decodeMember(member).signed.txn);
    const own = transactions.find(({ sender }) => sender === this.wallet.address);
    const slot = own?.lease && slotOfLease(own.lease);
    if (slot !== undefined) this.#slots.release(slot);
  }

  #refusal(kind: string, text: string): X402Error {
    const { address } = this.#options.mandate;
    if (kind === 'insufficient_balance') {
      return new X402Error('account_short_of_asset', { message: `the mandate ${address} holds too little: ${text}` });
    }
    return new X402Error('mandate_refuses', { message: `your node would not take the payment: ${text}` });
  }

  /** Says when the next slot is free. */
  async #exhausted(error: X402Error, algod: AlgodClient): Promise<X402Error> {
    const { now, mandate } = this.#options;
    const round = BigInt(String(error.details['round'] ?? '0'));
    const { lastRound } = await algod.status();
    const at = timeOfRound(round, lastRound, now()).toISOString();
    return new X402Error('mandate_exhausted', {
      message: `all ${mandate.config.slots} slots are taken; the next is free after round ${round}, about ${at}`,
      details: { round: round.toString(), at },
      cause: error,
    });
  }
}

/**
 * A signer for any client of the stock packages (the shape of `toClientAvmSigner`), which then pays from the mandate
 * without knowing it.
 */
export function signerOf(agent: MandateAgent): TransactionWallet {
  const { wallet } = agent;
  return {
    address: wallet.address,
    async signTransactions(transactions, indexesToSign) {
      const { answer } = await agent.payment(
        async () => {
          const signed = await wallet.signTransactions(transactions, indexesToSign);
          const members = transactions.map((shown, index) => signed[index] ?? shown);
          return { answer: signed, members };
        },
        // Its client fixed the rounds.
        () => Promise.resolve(),
      );
      return answer;
    },
  };
}
