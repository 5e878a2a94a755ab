import { randomBytes } from 'node:crypto';
import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { assignGroup } from '@avm402/algorand/group';
import { TESTNET } from '@avm402/algorand/networks';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import {
  encodeTransaction,
  type Transaction,
  transactionId,
  transactionSigningBytes,
} from '@avm402/algorand/transaction';
import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import { withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/** A deterministic account. */
export function account(number: number): Account {
  return accountFromSeed(new Uint8Array(32).fill(number));
}

export const merchant = account(1).address;
export const sponsor = account(2).address;
export const payer = account(3);

export interface PaymentOptions {
  readonly from?: Account;
  readonly note?: Uint8Array;
  /** Sent in the extension payment-identifier. */
  readonly paymentId?: string;
}

/** A signed payment of an offer; nothing is sent. */
export function pay(offer: PaymentRequired, options: PaymentOptions = {}): PaymentPayload {
  const accepted = offer.accepts[0];
  if (accepted === undefined) throw new Error('nothing is offered');
  return payOffer(offer, accepted, options);
}

/** A scheme's client, as far as a payment of one offer needs it. */
interface PayloadMaker {
  createPaymentPayload(version: number, accepted: PaymentRequirements): Promise<Pick<PaymentPayload, 'payload'>>;
}

/** The headers of a payment of an offer by a scheme's client; with a payment id, if it has one. */
export async function paymentBy(
  client: PayloadMaker,
  offer: PaymentRequired,
  { paymentId, ...change }: Pick<PaymentOptions, 'paymentId'> & Partial<PaymentRequirements> = {},
): Promise<Record<string, string>> {
  const [accepted] = offer.accepts;
  if (accepted === undefined) throw new Error('nothing is offered');
  const { payload } = await client.createPaymentPayload(2, { ...accepted, ...change });
  const extensions = paymentId === undefined ? undefined : withPaymentId(offer.extensions, paymentId);
  return withPayment({
    x402Version: 2,
    resource: offer.resource,
    accepted,
    payload,
    ...(extensions && { extensions }),
  });
}

export function payOffer(
  offer: PaymentRequired,
  accepted: PaymentRequirements,
  options: PaymentOptions = {},
): PaymentPayload {
  const { from = payer, note = randomBytes(16), paymentId } = options;
  const group = groupOf(accepted, from.address, note);
  const paymentGroup = group.map((txn) =>
    base64(txn.sender === from.address ? from.signTransaction(txn) : encodeTransaction(txn)),
  );
  const extensions = paymentId === undefined ? undefined : withPaymentId(offer.extensions, paymentId);
  return {
    x402Version: 2,
    resource: offer.resource,
    accepted,
    payload: { paymentGroup, paymentIndex: paymentGroup.length - 1 },
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** The same payment, signed by somebody who says that the payer is rekeyed to them: the same TxID, other bytes. */
export function forge(payment: PaymentPayload, forger: Account): PaymentPayload {
  const { paymentGroup, paymentIndex } = groupIn(payment);
  const forged = paymentGroup.map((element, index) => {
    if (index !== paymentIndex) return element;
    const txn = paymentTransaction(payment);
    const signature = forger.sign(transactionSigningBytes(txn));
    return base64(encodeSignedTransaction({ txn, signature, authAddress: forger.address }));
  });
  return { ...payment, payload: { paymentGroup: forged, paymentIndex } };
}

/** The TxID of a payment. */
export function txIdOf(payment: PaymentPayload): string {
  return transactionId(paymentTransaction(payment));
}

/** The signed payment transaction in a payment. */
function paymentTransaction(payment: PaymentPayload): Transaction {
  const { paymentGroup, paymentIndex } = groupIn(payment);
  return decodeSignedTransaction(Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64')).txn;
}

function groupIn(payment: PaymentPayload): { paymentGroup: string[]; paymentIndex: number } {
  return payment.payload as { paymentGroup: string[]; paymentIndex: number };
}

function groupOf(accepted: PaymentRequirements, from: string, note: Uint8Array): Transaction[] {
  const header = {
    genesisHash: Buffer.from(TESTNET.genesisHash, 'base64'),
    genesisId: TESTNET.genesisId,
    firstValid: 1000n,
    lastValid: 1100n,
  };
  const transfer: Transaction = {
    ...header,
    type: 'axfer',
    sender: from,
    fee: 'feePayer' in accepted.extra ? 0n : 1000n,
    assetId: BigInt(accepted.asset),
    amount: BigInt(accepted.amount),
    receiver: accepted.payTo,
    note,
  };
  const { feePayer } = accepted.extra;
  const group =
    typeof feePayer === 'string'
      ? assignGroup([
          { ...header, type: 'pay', sender: feePayer, receiver: feePayer, amount: 0n, fee: 2000n },
          transfer,
        ])
      : [transfer];
  return group;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The headers of a request that carries a payment. */
export function withPayment(payment: PaymentPayload): Record<string, string> {
  return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) };
}
