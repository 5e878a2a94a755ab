import { setTimeout as pause } from 'node:timers/promises';
import { parseAccount } from '@avm402/algorand/account';
import { parseAddress } from '@avm402/algorand/address';
import { type AlgodClient } from '@avm402/algorand/algod';
import { encodeBase64 } from '@avm402/algorand/base64';
import { programSigningBytes } from '@avm402/algorand/program';
import { encodeUptoPayload, type UptoAuthorization, uptoProgram } from '@avm402/avm/upto';
import { developmentAccounts } from '@avm402/devnode';
import { USDC } from '@avm402/stack/balances';
import { askFacilitator, refusalIn } from '../ask-facilitator.ts';
import { debitsOf } from '../debits.ts';

const REST_MS = 50;
const buyer = parseAccount(developmentAccounts().payer.privateKey);

/** What a stranger has tried, by what it was told. */
export interface SquatterReport {
  /** Channels that it has seen on chain. */
  readonly channels: number;
  /** Attempts to hold a channel's lease, by the facilitator's answer. */
  readonly answers: Readonly<Record<string, number>>;
}

/**
 * A stranger who wants that no channel can be closed: for each channel that it sees on chain it asks the facilitator to
 * settle a unit by `upto` under a lease that is the channel's address.
 */
export class Squatter implements AsyncDisposable {
  readonly #algod: AlgodClient;
  readonly #facilitatorUrl: string;
  readonly #channels = new Set<string>();
  readonly #answers: Record<string, number> = {};
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #round = 0n;

  constructor(algod: AlgodClient, facilitatorUrl: string) {
    this.#algod = algod;
    this.#facilitatorUrl = facilitatorUrl;
    this.#running = this.#run();
  }

  get report(): SquatterReport {
    return { channels: this.#channels.size, answers: this.#answers };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Goes on until it is stopped; a facilitator that does not answer is asked again. */
  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#look();
      for (const channel of this.#channels) {
        await this.#squat(channel);
        await pause(REST_MS);
        if (this.#stopped.signal.aborted) return;
      }
      await pause(REST_MS);
    }
  }

  /** A channel's account opts in to its asset when it opens. */
  async #look(): Promise<void> {
    const { lastRound } = await this.#algod.status();
    while (this.#round < lastRound) {
      const debits = await debitsOf(this.#algod, ++this.#round);
      for (const { payer, receiver, amount } of debits) {
        if (payer === receiver && amount === 0n) this.#channels.add(payer);
      }
    }
  }

  async #squat(channel: string): Promise<void> {
    const feePayer = developmentAccounts().facilitator.address;
    const answer = await this.#settle(channel, feePayer).catch(() => 'unreachable');
    this.#answers[answer] = (this.#answers[answer] ?? 0) + 1;
  }

  async #settle(channel: string, feePayer: string): Promise<string> {
    const { merchant } = developmentAccounts();
    const { genesisHash, lastRound } = await this.#algod.params();
    const authorization: UptoAuthorization = {
      receiver: merchant.address,
      feePayer,
      genesisHash,
      token: USDC,
      maxAmount: 1n,
      lastValid: lastRound + 1000n,
      lease: parseAddress(channel),
    };
    const program = uptoProgram(authorization);
    const signature = buyer.sign(programSigningBytes(program));
    const accepted = {
      scheme: 'upto',
      network: `algorand:${encodeBase64(genesisHash)}` as const,
      amount: '1',
      asset: String(USDC),
      payTo: merchant.address,
      maxTimeoutSeconds: 300,
      extra: { feePayer },
    };
    const payload = encodeUptoPayload({ payer: buyer.address, authorization, signature });
    const asked = await askFacilitator(this.#facilitatorUrl, 'settle', { x402Version: 2, accepted, payload });
    const refusal = refusalIn(asked);
    return refusal === 'ok' ? 'held' : refusal;
  }
}
