import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type CreatedPayment, ExactAvmClient } from '@avm402/avm/exact/client';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { sleep } from '../http/waiting.ts';
import { type AlgodOf, requireAlgod } from '../own-node/network-access.ts';
import { type AgentKey, MandateAgent } from './mandate-agent.ts';
import { type Mandate, readMandate } from './mandate.ts';

export interface MandatePaymentsOptions {
  readonly mandate: Mandate;
  readonly agentKey: AgentKey;
  readonly waitForSlotMs?: number | undefined;
  readonly algod: AlgodOf;
  readonly random?: (bytes: number) => Uint8Array;
  readonly now?: () => number;
}

/** Payments by the scheme `exact` from a mandate. */
export class MandatePayments {
  readonly #agent: MandateAgent;
  readonly #exact: ExactAvmClient;

  /** @throws X402Error `invalid_mandate`, `algod_not_configured` */
  constructor(options: MandatePaymentsOptions) {
    const { algod, random, now = Date.now, waitForSlotMs = 0, agentKey } = options;
    const mandate = readMandate(options.mandate);
    const node = requireAlgod(algod, mandate.network);
    const sources = { ...(random && { random }), now };
    this.#agent = new MandateAgent({ mandate, agentKey, algod: node, waitForSlotMs, sleep, ...sources });
    this.#exact = new ExactAvmClient({ account: this.#agent.wallet, algod, ...sources });
  }

  async refresh(network: Network): Promise<void> {
    await this.#exact.refresh(network);
  }

  /** @throws as {@link MandateAgent.payment} */
  async create(requirements: PaymentRequirements, signal: AbortSignal | undefined) {
    const make = async () => {
      const created = await this.#exact.createPayment(requirements);
      return { created, members: groupOf(created) };
    };
    const renew = () => this.refresh(requirements.network);
    const { created, members } = await this.#agent.payment(make, renew, signal);
    const { payload, ...facts } = created;
    const { lease } = decodeSignedTransaction(members[payload.paymentIndex] ?? new Uint8Array()).txn;
    const slotLease = lease && { slotLease: encodeBase64(lease) };
    const drop = (): void => this.#agent.release(members);
    return { payload, facts: { ...facts, payer: this.#exact.address, ...slotLease }, drop };
  }
}

function groupOf({ payload }: CreatedPayment): Uint8Array[] {
  return payload.paymentGroup.map((member) => decodeBase64(member) ?? new Uint8Array());
}
