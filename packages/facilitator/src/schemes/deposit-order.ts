import { createHash } from 'node:crypto';
import { type DepositRequest, verifyDeposit } from '@avm402/avm/batch-settlement/facilitator';
import { type SponsoredParties, signSponsored } from '@avm402/avm/exact/facilitator';
import type { ChannelMove } from '../settlement/channel-move.ts';
import type { SettlementOrder } from '../settlement/settlement-order.ts';
import type { Budget, ChannelLimits } from '../settlement/settlement-store.ts';

export interface DepositOrderOptions {
  /** The budgets that the group's fee is paid from. */
  readonly budgetsOf: (parties: SponsoredParties) => readonly Budget[];
  readonly channelLimits: ChannelLimits;
}

/** A deposit that opens a channel, or adds to one; its settlement is keyed by the payer's transfer. */
export function depositOrder(request: DepositRequest, options: DepositOrderOptions): SettlementOrder {
  const { deposit, network, config } = request;
  const { txId, signer, firstValid, lastValid, payer, amount, feePayer } = deposit;
  const requirementsDigest = digestOf(request);
  return {
    txId,
    signer,
    requirementsDigest,
    async prepare() {
      const group = await verifyDeposit(request);
      const { parties, round } = group;
      const settlement = {
        txId,
        network: network.network,
        round,
        firstValid,
        lastValid,
        payer,
        signer,
        feePayer,
        payTo: config.receiver,
        asset: String(config.token),
        amount,
        sponsoredFee: group.fee,
        terms: parties.terms,
        advance: true,
        requirementsDigest,
        channel: moveOf(request),
        group: Buffer.concat(signSponsored(group)),
      };
      return { settlement, budgets: options.budgetsOf(parties), channelLimits: options.channelLimits };
    },
  };
}

function moveOf({ deposit, channelId: id, config, claimAuthorizer }: DepositRequest): ChannelMove {
  return deposit.kind === 'open' ? { kind: 'open', id, config, claimAuthorizer } : { kind: 'top-up', id };
}

/** The price of a request is no part of it: the deposit is the same for any. */
function digestOf({ network: { network }, channelId, claimAuthorizer }: DepositRequest): string {
  const fields = ['batch-settlement', network, channelId, claimAuthorizer];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
