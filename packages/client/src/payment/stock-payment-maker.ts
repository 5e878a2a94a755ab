import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { type DecodedMember, decodeMember } from '@avm402/algorand/signed-transaction';
import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { MAX_FEE } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import { parsePaymentPayload, type PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { PaymentFacts } from '../offers/pay-offer.ts';
import { MOST_PAYMENTS, type PaymentMaker } from './payment-maker.ts';

/** The part of a stock `x402Client` (or `x402HTTPClient`) that makes payments. */
export interface StockClient {
  createPaymentPayload(required: PaymentRequired): Promise<unknown>;
}

/** Payments by a stock client, with its schemes, policies and hooks. It sees only the offer that was chosen here. */
export function stockPaymentMaker(client: StockClient): PaymentMaker {
  return {
    payer: undefined,
    mostPayments: MOST_PAYMENTS,
    whyNot: () => undefined,
    // A stock client has no call for this.
    refresh: () => Promise.resolve(),
    async make(required, requirements) {
      const shown = structuredClone({ ...required, accepts: [requirements] });
      const payload = parsePaymentPayload(await client.createPaymentPayload(shown));
      return { payload, facts: factsOf(payload, requirements) };
    },
  };
}

/**
 * Reads what a payload does on chain: it must make the offer's payment and nothing else.
 * @throws X402Error `signer_failed`, `fee_above_limit`, `fee_payer_suspicious`
 */
function factsOf({ payload }: PaymentPayload, requirements: PaymentRequirements): PaymentFacts {
  const { paymentGroup, paymentIndex } = payload;
  if (!Array.isArray(paymentGroup) || typeof paymentIndex !== 'number') throw notThePayment();
  const group = paymentGroup.map(readMember);
  const own = group[paymentIndex];
  if (own === undefined) throw notThePayment();
  const payment = own.signed.txn;
  if (payment.type !== 'axfer' || !paysFor(payment, requirements)) throw notThePayment();
  if (payment.fee > MAX_FEE) throw new X402Error('fee_above_limit');
  const { feePayer } = requirements.extra;
  if (payment.sender === feePayer) throw new X402Error('fee_payer_suspicious');
  const others = group.filter((member) => member !== own);
  if (others.length > 1 || others.some(({ signed }) => signed.txn.sender !== feePayer)) throw notThePayment();
  return {
    txId: own.txId,
    groupTxIds: group.map((member) => member.txId),
    ...(payment.group && { groupId: encodeBase64(payment.group) }),
    payer: payment.sender,
    fee: payment.fee,
    firstValid: payment.firstValid,
    lastValid: payment.lastValid,
  };
}

function paysFor(payment: AssetTransferTransaction, requirements: PaymentRequirements): boolean {
  const { asset, amount, payTo, network } = requirements;
  const { assetSender, assetCloseTo, rekeyTo } = payment;
  return (
    payment.assetId.toString() === asset &&
    payment.amount.toString() === amount &&
    payment.receiver === payTo &&
    networksEqual(networkOfGenesis(payment.genesisHash), network) &&
    (assetSender ?? assetCloseTo ?? rekeyTo) === undefined
  );
}

/** Reads a member of the group. It is signed, or it is the facilitator's and unsigned. */
function readMember(member: unknown): DecodedMember {
  const bytes = typeof member === 'string' ? decodeBase64(member) : undefined;
  if (!bytes) throw notThePayment();
  return decodeMember(bytes);
}

function notThePayment(): X402Error {
  return new X402Error('signer_failed', { message: 'the client made no payment of the chosen offer' });
}
