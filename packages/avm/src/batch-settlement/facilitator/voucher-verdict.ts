import { X402Error } from '@avm402/core/errors';
import { askNode } from '../../node/ask-node.ts';
import { hasEnded } from './channel-ending.ts';
import type { VoucherRequest } from './channel-request.ts';

/**
 * Verifies that the channel is open and that its balance covers the voucher. Only the seller knows what was charged
 * before.
 * @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `_channel_closed`, `_channel_expiring`,
 * `_cumulative_exceeds_balance`, or `algod_unreachable`
 */
export async function verifyVoucher(request: VoucherRequest): Promise<void> {
  const { network, config, channelId, voucher } = request;
  const known = await network.known(channelId);
  if (known === undefined) throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
  if (!known.isOpen) throw new X402Error('invalid_batch_settlement_avm_channel_closed');
  if (network.lastRound() >= config.expiry) throw new X402Error('invalid_batch_settlement_avm_channel_expiring');
  const held = await askNode(() => network.algod.accountAsset(channelId, config.token));
  // A node that has not seen its opening yet holds nothing of it either.
  if (held === undefined) {
    throw new X402Error(
      (await hasEnded(request)) ? 'invalid_batch_settlement_avm_channel_closed' : 'algod_unreachable',
    );
  }
  if (voucher.maxClaimableAmount > held.amount) {
    throw new X402Error('invalid_batch_settlement_avm_cumulative_exceeds_balance', {
      message: `the voucher is for ${voucher.maxClaimableAmount}, the channel holds ${held.amount}`,
    });
  }
}
