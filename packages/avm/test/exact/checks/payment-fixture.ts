import { type Account, accountFromSeed } from '@avm402/algorand/account';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { assignGroup } from '@avm402/algorand/group';
import { TESTNET } from '@avm402/algorand/networks';
import {
  type AssetTransferTransaction,
  encodeTransaction,
  type PaymentTransaction,
  type Transaction,
} from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { checkPaymentOffline } from '../../../src/exact/check-payment-offline.ts';

const account = (seed: number): Account => accountFromSeed(new Uint8Array(32).fill(seed));

export const payer = account(1);
export const sponsor = account(2);
export const merchant = account(3);
export const stranger = account(4);

const genesisHash = decodeBase64(TESTNET.genesisHash) ?? new Uint8Array();
const header = { genesisHash, genesisId: TESTNET.genesisId, firstValid: 100n, lastValid: 200n };

export const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: ALGORAND_TESTNET,
  asset: '10458941',
  amount: '10000',
  payTo: merchant.address,
  maxTimeoutSeconds: 60,
  extra: { feePayer: sponsor.address },
};

export const unsponsored: PaymentRequirements = { ...requirements, extra: {} };

export const transfer: AssetTransferTransaction = {
  ...header,
  type: 'axfer',
  sender: payer.address,
  receiver: merchant.address,
  assetId: 10458941n,
  amount: 10000n,
  fee: 0n,
  note: new Uint8Array(16).fill(7),
};

export const feePayment: PaymentTransaction = {
  ...header,
  type: 'pay',
  sender: sponsor.address,
  receiver: sponsor.address,
  amount: 0n,
  fee: 2000n,
};

/** A payload of members that are encoded already. */
export function payloadOf(
  members: readonly Uint8Array[],
  accepted = requirements,
  paymentIndex = members.length - 1,
): PaymentPayload {
  return { x402Version: 2, accepted, payload: { paymentGroup: members.map(encodeBase64), paymentIndex } };
}

/** A right sponsored payment, or one with some fields of its transactions changed before it is grouped and signed. */
export function sponsoredPayment(
  changes: { readonly transfer?: object; readonly feePayer?: object } = {},
  signer = payer,
): PaymentPayload {
  const [fee, axfer] = grouped({ ...feePayment, ...changes.feePayer }, { ...transfer, ...changes.transfer });
  return payloadOf([encodeTransaction(fee), signer.signTransaction(axfer)]);
}

/** A right payment that carries its own fee, or one with some fields changed before it is signed. */
export function lonePayment(changes: object = {}): PaymentPayload {
  return payloadOf([payer.signTransaction({ ...transfer, fee: 1000n, ...changes })], unsponsored);
}

/** Two transactions as one group. */
export function grouped<A extends Transaction, B extends Transaction>(first: A, second: B): [A, B] {
  // assignGroup keeps order and type of its members.
  return assignGroup([first, second]) as [A, B];
}

/** Why a payment is refused offline, or `accepted`. */
export function reasonFor(payload: PaymentPayload, required = requirements): string {
  try {
    checkPaymentOffline(payload, required);
    return 'accepted';
  } catch (error) {
    if (isX402Error(error)) return error.code;
    throw error;
  }
}
