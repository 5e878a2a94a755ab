import {
  BatchSettlementAvmFacilitator,
  type ChannelNetwork,
  type KnownChannel,
} from '@avm402/avm/batch-settlement/facilitator';
import type { Settle, Sponsor, SponsoredParties } from '@avm402/avm/exact/facilitator';
import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork, isAlgorandNetwork, type Network } from '@avm402/core/network';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Chain } from '../chain/chain.ts';
import { ChannelEndings } from './channel-endings.ts';
import { isEnding } from '../settlement/channel-move.ts';
import { type ChannelOptions, channelPolicyOn } from './channel-options.ts';
import { ChannelSweep } from './channel-sweep.ts';
import { depositOrder } from './deposit-order.ts';
import type { Log } from '../log/log.ts';
import { type Settlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { Budget, ChannelLimits, SettlementStore } from '../settlement/settlement-store.ts';
import type { Settler } from '../settlement/settler.ts';

export interface ChannelsOptions {
  readonly settler: Settler;
  readonly store: SettlementStore;
  /** Settles through the facilitator's front door. */
  readonly settle: Settle;
  readonly options: ChannelOptions;
  readonly budgetsOf: (chain: Chain, parties: SponsoredParties) => readonly Budget[];
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Served {
  readonly chain: Chain;
  readonly network: ChannelNetwork;
  readonly limits: ChannelLimits;
}

/** The scheme `batch-settlement` of a facilitator: deposits, claims and refunds as settlements of its store. */
export class Channels {
  readonly scheme: BatchSettlementAvmFacilitator;
  readonly #options: ChannelsOptions;
  readonly #served = new Map<Network, Served>();
  readonly #endings: ChannelEndings;
  readonly #sweep: ChannelSweep;

  constructor(options: ChannelsOptions) {
    const { settle, store, log, now } = options;
    this.#options = options;
    this.scheme = new BatchSettlementAvmFacilitator({ settle, networkOf: (network) => this.#of(network)?.network });
    this.#endings = new ChannelEndings({
      ...options,
      budgetsOf: (network, parties) => options.budgetsOf(this.#servedOn(network).chain, parties),
    });
    this.#sweep = new ChannelSweep({ endings: this.#endings, store, log, now });
  }

  /** Opens and closes channels on a network, if policy says so. */
  serve(chain: Chain, sponsor: Sponsor): void {
    const lending = channelPolicyOn(chain, this.#options.options, sponsor);
    if (lending === undefined) return;
    const { policy, limits } = lending;
    const { store, options } = this.#options;
    const { claimKeysOf = () => undefined } = options;
    const { pool, genesisHash, network } = chain;
    const served: ChannelNetwork = {
      network,
      genesisHash,
      algod: pool,
      sponsor,
      policy,
      lastRound: () => pool.lastRound,
      known: async (channelId) => knownOf(await store.channel(channelId)),
      isUsed: async (channelId) => (await store.channel(channelId)).some(isOpening),
      hasPlaceFor: async ({ payer, receiver: payTo }) =>
        (await store.openChannels(network)) < limits.total &&
        (await store.openChannels(network, { payer })) < limits.ofPayer &&
        (await store.openChannels(network, { payTo })) < limits.ofReceiver,
      isClaimKey: (receiver, key) => claimKeysOf(receiver)?.has(key) ?? true,
    };
    this.#served.set(network, { chain, network: served, limits });
  }

  stop(): void {
    this.#served.clear();
  }

  /**
   * Settles a deposit, a claim or a refund, or joins its settlement. Resolves with the row when its outcome is known, or as
   * it is after the timeout.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async settle(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    idempotencyKey: string | undefined,
  ): Promise<Settlement> {
    const request = this.scheme.check(payload, requirements);
    switch (request.type) {
      case 'deposit': {
        const { chain, limits } = this.#servedOn(request.network.network);
        const budgetsOf = (parties: SponsoredParties) => this.#options.budgetsOf(chain, parties);
        return this.#options.settler.settle(
          depositOrder(request, { budgetsOf, channelLimits: limits }),
          idempotencyKey,
        );
      }
      case 'claim':
        return this.#endings.claim(request);
      case 'refund':
        return this.#endings.refund(request);
      case 'voucher':
        throw new X402Error('invalid_batch_settlement_avm_payload', {
          message: 'a voucher is settled by the seller, who claims what it charged',
        });
      default:
        return request satisfies never;
    }
  }

  /** Fetches back what was lent to channels that have expired. What fails is tried again the next time. */
  async sweep(): Promise<void> {
    try {
      await this.#sweep.run([...this.#served.values()].map(({ network }) => network));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'expired channels could not be looked up');
    }
  }

  #servedOn(network: Network): Served {
    return this.#served.get(network) ?? notServed(network);
  }

  #of(network: string): Served | undefined {
    return isAlgorandNetwork(network) ? this.#served.get(canonicalNetwork(network)) : undefined;
  }
}

function notServed(network: Network): never {
  throw new X402Error('unsupported_network', { message: `no channels are opened or closed on ${network} here` });
}

function knownOf(rows: readonly Settlement[]): KnownChannel | undefined {
  const opening = rows.find(({ channel, state }) => channel?.kind === 'open' && state === 'confirmed')?.channel;
  if (opening?.kind !== 'open') return undefined;
  const isEnded = rows.some((row) => row.channel && isEnding(row.channel) && isSpending(row));
  return { claimAuthorizer: opening.claimAuthorizer, isOpen: !isEnded };
}

function isOpening(row: Settlement): boolean {
  return row.channel?.kind === 'open' && isSpending(row);
}

function isSpending({ state }: Settlement): boolean {
  return SPENDING_STATES.some((spending) => spending === state);
}
