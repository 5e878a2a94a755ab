import { type AnswerPayment, heldRun } from '../../run/held-run.ts';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { Channel } from '../record/channel.ts';
import type { ChannelExchange } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import { channelReceipt, correctionOf } from './channel-receipt.ts';
import type { AdmittedRequest, LiveChannel } from '../record/live-channel.ts';

/** A request that its channel has admitted. */
export interface AdmittedPayment {
  readonly payment: ChannelPayment;
  readonly live: LiveChannel;
  readonly admitted: AdmittedRequest;
  /** TxID of the deposit that came with it. */
  readonly transaction?: string;
}

/** Runs the handler of an admitted request; its answer leaves once its charge is on record. */
export async function runAdmitted(exchange: ChannelExchange, paid: AdmittedPayment): Promise<void> {
  const payment = paymentByChannel(exchange, paid);
  exchange.report({ type: 'claimed', ...payment.names });
  await heldRun(exchange, payment);
}

function paymentByChannel(exchange: ChannelExchange, paid: AdmittedPayment): AnswerPayment {
  const { payment, live, admitted, transaction } = paid;
  const { requirements, buyer, payer, channelId, id: txId } = payment;
  const names = { txId, payer, channelId };
  let total = 0n;
  const charging = async (cost: bigint, channel: Promise<Channel>): Promise<SettleResponse> => {
    total += cost;
    const charged = { requirements, cost: total, ...(transaction !== undefined && { transaction }) };
    return channelReceipt(await channel, charged);
  };
  return {
    names,
    requirements,
    maximum: admitted.maximum,
    isMetered: true,
    isAwaited: buyer !== undefined,
    stream: {
      part: (cost) => charging(cost, admitted.charge(cost)),
      end: (cost) => charging(cost, admitted.end(cost)),
    },
    async end(cost, stored) {
      const kept = stored && exchange.channels.kept.keep(payer, stored);
      const receipt = await charging(cost, admitted.end(cost, kept));
      exchange.report({ type: 'settled', ...names });
      return { receipt };
    },
    release: () => admitted.release(),
    correction: () => correctionOf(live),
  };
}
