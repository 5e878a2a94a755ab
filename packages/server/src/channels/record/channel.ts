import type { ChannelConfig } from '@avm402/avm/batch-settlement';
import type { PaymentRequirements } from '@x402/core/types';
import type { StoredResponse } from '../../response/held-answer.ts';

/**
 * How far a channel is:
 * `open`     vouchers pay for requests;
 * `closing`  no more vouchers are taken; the charged amount is fixed, and its claim is repeated until it succeeds;
 * `closed`   the claim is confirmed. Final;
 * `lost`     the expiry was reached before a claim was confirmed. Final.
 */
export type ChannelState = 'open' | 'closing' | 'closed' | 'lost';

/** Why a channel is closed. */
export type ClosingReason = 'expiry' | 'idle' | 'risk' | 'payer' | 'seller' | 'shutdown';

/** What the seller has on record of one channel. Amounts are atomic units; `charged ≤ authorized ≤ balance`. */
export interface Channel {
  /** The address of its account: the key. */
  readonly channelId: string;
  /** Grows by one with each change; a change applies to the version that it was made from. */
  readonly version: number;
  readonly state: ChannelState;
  readonly config: ChannelConfig;
  /** What its first deposit was settled with; its claim is settled with the same. */
  readonly requirements: PaymentRequirements;
  /** The sum of its settled deposits. */
  readonly balance: bigint;
  /** The highest amount of a voucher by which something was charged. */
  readonly authorized: bigint;
  /** The signature of that voucher, 64 bytes; absent while `authorized` is 0. */
  readonly signature?: Uint8Array;
  /** The charges of all requests together; they are owed until they are claimed. */
  readonly charged: bigint;
  /** Requests with a lower amount are forgotten, and refused. */
  readonly floor: bigint;
  /** Present as soon as the channel is no longer open. */
  readonly closing?: { readonly reason: ClosingReason; readonly since: number };
  /** TxID of the claim, once it is confirmed. */
  readonly closedBy?: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** A round that the chain had reached by then. With the time since, it tells how near the expiry is. */
  readonly openedRound: bigint;
  /** When it last paid for something, milliseconds since 1970. */
  readonly usedAt: number;
}

/** Identifies the buyer of a request with a payment id, who can then be recognized when the request comes back. */
export interface RequestBuyer {
  /** Hex SHA-256 of the payment id. */
  readonly paymentId: string;
  /** Hex SHA-256 of the request. */
  readonly fingerprint: string;
  /** Hex SHA-256 of what the route sells, and for what. */
  readonly route: string;
}

/** One request that a channel has paid for. */
export interface ChannelRequest {
  /** The amount of its voucher, which is the request's id in its channel. */
  readonly amount: bigint;
  /** What it has cost so far; the cost of an event stream grows while it runs. */
  readonly charge: bigint;
  /**
   * The server process that charged it, in hex. A process whose write has failed finds out by it whether the write is
   * on record.
   */
  readonly owner: string;
  readonly buyer?: RequestBuyer;
  /** What the handler answered, for the buyer who comes back. */
  readonly response?: StoredResponse;
}
