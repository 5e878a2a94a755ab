import type { ExactAvmFacilitator } from '@avm402/avm/exact/facilitator';
import type { BatchSettlementAvmFacilitator } from '@avm402/avm/batch-settlement/facilitator';
import type { UptoAvmFacilitator } from '@avm402/avm/upto/facilitator';
import type { Network } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { SupportedResponse } from '@avm402/core/supported-response';
import type { VerifyResponse } from '@avm402/core/verify-response';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Readiness } from './observe/readiness.ts';
import type { SettlementStatus } from './settlement/answer.ts';
import type { LookUpOptions, SettleOptions } from './settlement/settle-options.ts';

/**
 * A facilitator in this process. It is a stock FacilitatorClient; its `scheme` registers in a stock x402Facilitator
 * (`register(facilitator.networks, facilitator.scheme)`, after `start`).
 */
export interface Facilitator extends FacilitatorClient {
  readonly scheme: ExactAvmFacilitator;
  /** The scheme `batch-settlement`; registers in the same way. */
  readonly channels: BatchSettlementAvmFacilitator;
  /** The scheme `upto`; registers in the same way. */
  readonly upto: UptoAvmFacilitator;
  /** CAIP-2 ids of the networks that are served, each in its long and its short form; empty before `start`. */
  readonly networks: readonly Network[];
  /**
   * Opens the store, connects to the nodes and resumes unfinished settlements. The other methods call it if necessary.
   * @throws X402Error `algod_unreachable`, `algod_wrong_genesis`, `algod_token_refused`, `store_unavailable`,
   * `environment_invalid`, `shutting_down`
   */
  start(): Promise<void>;
  /**
   * Whether the payment would settle now. A refusal is an answer.
   * @throws X402Error with a 5xx `httpStatus`, such as `algod_unreachable`, `store_unavailable`, `shutting_down`
   */
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<VerifyResponse>;
  /**
   * Settles the payment, or joins its settlement, and resolves with the outcome. A refusal is an answer, and so is
   * `settlement_pending`, which comes after the timeout.
   * @throws X402Error with a 5xx `httpStatus`, such as `algod_unreachable`, `store_unavailable`, `facilitator_busy`,
   * `shutting_down`
   */
  settle(payload: PaymentPayload, requirements: PaymentRequirements, options?: SettleOptions): Promise<SettleResponse>;
  /** Each network in its long and its short form, with its fee payer if it has one. */
  getSupported(): Promise<SupportedResponse>;
  /** The store's id. To a server that lists several facilitators, replicas on one store are the same facilitator. */
  storeId(): Promise<string>;
  /** Whether payments to this receiver are sponsored on the network, given the right asset, amount and budgets. */
  sponsors(network: string, payTo: string): boolean;
  /** Whether the network is a development network; false before it is connected. */
  isDevelopment(network: string): boolean;
  /** The record of a payment; `undefined` if there is none. Asks no node. */
  settlement(txId: string, options?: LookUpOptions): Promise<SettlementStatus | undefined>;
  /** Whether payments can be settled now: nodes, store, sponsor, and the settlements whose outcome is open. */
  readiness(): Promise<Readiness>;
  /** Answers waiting settle calls with `settlement_pending`: for a shutdown that can't wait any longer. */
  stopWaiting(): void;
  /**
   * Stops the work and closes the store; every later call fails with `shutting_down`. The next facilitator on the same
   * store resumes unfinished settlements.
   */
  close(): Promise<void>;
}
