import { createHash } from 'node:crypto';
import {
  BatchSettlementAvmFacilitator,
  type ChannelNetwork,
  type ChannelRequest,
  type DepositRequest,
  type KnownChannel,
  verifyDeposit,
} from '@avm402/avm/batch-settlement/facilitator';
import type { Sponsor } from '@avm402/avm/sponsorship';
import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork, isAlgorandNetwork, type Network } from '@avm402/core/network';
import type { Chain } from '../chain/chain.ts';
import type { Log } from '../log/log.ts';
import type { SettleOptions } from '../settlement/settle-options.ts';
import { settleAnswer, spelledNetwork } from '../settlement/answer.ts';
import { isEnding } from '../settlement/channel-move.ts';
import { type Settlement, SPENDING_STATES } from '../settlement/settlement.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { ChannelLimits } from '../settlement/settlement-store.ts';
import { ChannelEndings, type ChannelEndingsOptions } from './channel-endings.ts';
import { type ChannelOptions, channelPolicyOn } from './channel-options.ts';
import { ChannelSweep } from './channel-sweep.ts';
import type { SchemeParts, SchemeSettlement } from './scheme-settlement.ts';

export interface ChannelsOptions extends Omit<SchemeParts, 'networkOf'>, ChannelEndingsOptions {
  readonly options: ChannelOptions;
  readonly log: Log;
}

interface Served {
  readonly network: ChannelNetwork;
  readonly limits: ChannelLimits;
}

/** The scheme `batch-settlement` of a facilitator: deposits, claims and refunds as settlements of its store. */
export class Channels implements SchemeSettlement {
  readonly scheme: BatchSettlementAvmFacilitator;
  readonly #options: ChannelsOptions;
  readonly #served = new Map<Network, Served>();
  readonly #endings: ChannelEndings;
  readonly #sweep: ChannelSweep;

  constructor(options: ChannelsOptions) {
    const { settle, store, log, now } = options;
    this.#options = options;
    this.scheme = new BatchSettlementAvmFacilitator({ settle, networkOf: (network) => this.#of(network)?.network });
    this.#endings = new ChannelEndings(options);
    this.#sweep = new ChannelSweep({ endings: this.#endings, store, log, now });
  }

  /**
   * Starts to open and close channels on a network, if policy allows it.
   * @throws X402Error `environment_invalid`
   */
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
      known: async (channelId) => knownOf(await store.channel(channelId), chain),
      isUsed: async (channelId) => (await store.channel(channelId)).some(isOpening),
      hasPlaceFor: async ({ payer, receiver: payTo }) =>
        (await store.openChannels(network)) < limits.total &&
        (await store.openChannels(network, { payer })) < limits.ofPayer &&
        (await store.openChannels(network, { payTo })) < limits.ofReceiver,
      claimKeysOf,
    };
    this.#served.set(network, { network: served, limits });
  }

  stop(): void {
    this.#served.clear();
  }

  readonly begins: SchemeSettlement['begins'] = async (payload, requirements) => {
    const request = this.scheme.check(payload, requirements);
    if (request.type !== 'deposit') return false;
    return (await this.#options.settler.recorded(request.deposit.txId, 0)) === undefined;
  };

  readonly settle: SchemeSettlement['settle'] = async (payload, requirements, options) => {
    const request = this.scheme.check(payload, requirements);
    return settleAnswer(await this.#settlementOf(request, options), spelledNetwork(requirements));
  };

  async #settlementOf(request: ChannelRequest, options: SettleOptions): Promise<Settlement> {
    switch (request.type) {
      case 'deposit': {
        const { limits } = this.#served.get(request.network.network) ?? notServed(request.network.network);
        return this.#options.settler.settle(depositOrder(request, limits), options);
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

  /** Recovers what was lent to expired channels. Failures are tried again the next time. */
  async sweep(): Promise<void> {
    try {
      await this.#sweep.run([...this.#served.values()].map(({ network }) => network));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'expired channels could not be looked up');
    }
  }

  #of(network: string): Served | undefined {
    return isAlgorandNetwork(network) ? this.#served.get(canonicalNetwork(network)) : undefined;
  }
}

function notServed(network: Network): never {
  throw new X402Error('unsupported_network', { message: `no channels are opened or closed on ${network} here` });
}

function knownOf(rows: readonly Settlement[], { development }: Chain): KnownChannel | undefined {
  const row = rows.find(({ channel, state }) => channel?.kind === 'open' && state === 'confirmed');
  const opening = row?.channel;
  if (opening?.kind !== 'open') return undefined;
  const isEnded = rows.some((one) => one.channel && isEnding(one.channel) && isSpending(one));
  // A development node may go back behind the opening for good.
  const openedIn = (development ? undefined : row?.confirmedRound) ?? 0n;
  return { claimAuthorizer: opening.claimAuthorizer, isOpen: !isEnded, openedIn };
}

function isOpening(row: Settlement): boolean {
  return row.channel?.kind === 'open' && isSpending(row);
}

function isSpending({ state }: Settlement): boolean {
  return SPENDING_STATES.some((spending) => spending === state);
}

/** A deposit that opens a channel, or adds to one; its settlement is keyed by the payer's transfer. */
function depositOrder(request: DepositRequest, channelLimits: ChannelLimits): SettlementOrder {
  const { deposit, network, config, channelId: id, claimAuthorizer } = request;
  const { txId, signer, firstValid, lastValid, payer, amount, feePayer } = deposit;
  // The price of a request is left out: the deposit is the same for any price.
  const fields = ['batch-settlement', network.network, id, claimAuthorizer];
  return {
    txId,
    network: network.network,
    firstValid,
    lastValid,
    payer,
    signer,
    feePayer,
    payTo: config.receiver,
    asset: String(config.token),
    amount,
    requirementsDigest: createHash('sha256').update(JSON.stringify(fields)).digest('hex'),
    channel: deposit.kind === 'open' ? { kind: 'open', id, config, claimAuthorizer } : { kind: 'top-up', id },
    channelLimits,
    verify: () => verifyDeposit(request),
  };
}
