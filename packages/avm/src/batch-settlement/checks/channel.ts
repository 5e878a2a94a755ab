import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { isCloseSigned } from '../close-authorization.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import type { RefundPayload } from '../payload.ts';
import { isVoucherSigned, type Voucher } from '../voucher.ts';

/**
 * Checks that the channel matches the offer: its receiver, closer, funder, token and network (rule 2).
 * @throws X402Error `invalid_batch_settlement_avm_channel_config`, `invalid_payment_requirements`
 */
export function checkChannelConfig(config: ChannelConfig, requirements: PaymentRequirements): void {
  const wrong = differingTerm(config, requirements);
  if (wrong === undefined) return;
  throw new X402Error('invalid_batch_settlement_avm_channel_config', {
    message: `the channel's ${wrong} is not that of the offer`,
  });
}

function differingTerm(config: ChannelConfig, requirements: PaymentRequirements): string | undefined {
  const { receiverAuthorizer, funder } = parseChannelTerms(requirements.extra);
  if (config.receiver !== requirements.payTo) return 'receiver';
  if (config.receiverAuthorizer !== receiverAuthorizer) return 'receiverAuthorizer';
  if (config.funder !== funder) return 'funder';
  if (config.token.toString() !== requirements.asset) return 'token';
  const network = networkOfGenesis(config.genesisHash);
  return networksEqual(network, requirements.network) ? undefined : 'genesisHash';
}

/**
 * Checks that the voucher is for this channel and signed by its payer authorizer (rules 3 and 4). `id` is the channel's
 * id, for callers that know it.
 * @throws X402Error `invalid_batch_settlement_avm_channel_id_mismatch`, `_voucher_signature`
 */
export function checkVoucher(config: ChannelConfig, voucher: Voucher, id: string = channelId(config)): void {
  if (voucher.channelId !== id) {
    throw new X402Error('invalid_batch_settlement_avm_channel_id_mismatch', {
      message: `the voucher is for ${voucher.channelId}, the configuration is that of ${id}`,
    });
  }
  if (!isVoucherSigned(voucher, config.payerAuthorizer)) {
    throw new X402Error('invalid_batch_settlement_avm_voucher_signature');
  }
}

/**
 * Checks that the payer itself asks for an early close. Somebody who has seen a request has its voucher, but no other
 * signature of the payer.
 * @throws X402Error `invalid_batch_settlement_avm_close_authorization`
 */
export function checkClose(
  { channelConfig, authorization }: RefundPayload,
  id: string = channelId(channelConfig),
): void {
  if (authorization !== undefined && isCloseSigned(authorization, id, channelConfig.payerAuthorizer)) return;
  throw new X402Error('invalid_batch_settlement_avm_close_authorization');
}
