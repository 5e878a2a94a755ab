import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { checkAccepted, checkNetwork, checkScheme, checkVersion } from './checks/offer.ts';
import {
  checkAmount,
  checkAsset,
  checkAssetClose,
  checkAssetSender,
  checkLease,
  checkNote,
  checkPayerIsNotReceiver,
  checkReceiver,
  checkRekey,
  checkWindowLength,
} from './checks/transfer.ts';
import {
  checkFeePayerAccount,
  checkFeePayerFields,
  checkFeePayerUnsigned,
  checkFeePayerWindow,
} from './checks/fee-payer.ts';
import { checkGenesisHash, checkGroupId, type ExactPayment, groupShape } from './checks/group.ts';
import { checkAuthorizer, checkSignature, claimedSigner } from './checks/authorizer.ts';
import { isJudgedByChain } from './checks/chain-authorization.ts';
import { parsePaymentGroup } from './payment.ts';

/**
 * A payment that passed all offline checks, perhaps except the signature check. Whether the chain would accept it is
 * not known yet.
 */
export interface OfflinePayment {
  /** The payment transaction's id, which is the key of its redemption. It covers neither signature nor signer. */
  readonly txId: string;
  /** Hex SHA-256 of the exact group bytes, which is the key of a verdict. */
  readonly groupDigest: string;
  /** The paying account. */
  readonly payer: string;
  /**
   * The address whose signature the payment carries: the payer, or the address that the payer claims to be rekeyed to.
   * A digest of what only the chain judges follows it, so that a copy with another program or argument differs.
   */
  readonly signer: string;
  /** Whether only the chain can tell that the payer agreed, so that copies with the genuine TxID can be forged. */
  readonly isJudgedByChain: boolean;
  /** First and last round in which the payment may be confirmed. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** Whether a fee payer pays the network's fee. */
  readonly sponsored: boolean;
  readonly note?: Uint8Array;
  readonly exact: ExactPayment;
}

/**
 * Checks everything about a payment that can be known without asking the chain: all that `checkPaymentTerms` and
 * `checkSignature` check. Makes no network call.
 * @throws X402Error with a wire reason (`invalid_exact_avm_*`)
 */
export function checkPaymentOffline(payload: PaymentPayload, requirements: PaymentRequirements): OfflinePayment {
  const payment = checkPaymentTerms(payload, requirements);
  checkSignature(payment.exact);
  return payment;
}

/**
 * Runs the cheap checks: shape, network, amount, asset, receiver, forbidden fields, fee payer, group id, and the
 * claimed signer. The signature itself is not verified.
 * @throws X402Error with a wire reason (`invalid_exact_avm_*`)
 */
export function checkPaymentTerms(payload: PaymentPayload, requirements: PaymentRequirements): OfflinePayment {
  checkOffer(payload, requirements);
  const group = parsePaymentGroup(payload.payload);
  const exact = groupShape(group);
  checkGenesisHash(group, requirements);
  checkTransfer(exact, requirements);
  checkFeePayer(exact, payload, requirements);
  checkGroupId(group);
  checkAuthorizer(exact);
  return describe(exact);
}

function checkOffer(payload: PaymentPayload, requirements: PaymentRequirements): void {
  checkVersion(payload);
  checkScheme(payload, requirements);
  checkNetwork(payload, requirements);
  checkAccepted(payload, requirements);
}

function checkTransfer(exact: ExactPayment, requirements: PaymentRequirements): void {
  checkAsset(exact, requirements);
  checkAmount(exact, requirements);
  checkReceiver(exact, requirements);
  checkPayerIsNotReceiver(exact);
  checkAssetSender(exact);
  checkAssetClose(exact);
  checkRekey(exact);
  checkLease(exact);
  checkNote(exact);
  checkWindowLength(exact);
}

function checkFeePayer(exact: ExactPayment, payload: PaymentPayload, requirements: PaymentRequirements): void {
  checkFeePayerAccount(exact, payload, requirements);
  checkFeePayerUnsigned(exact);
  checkFeePayerFields(exact);
  checkFeePayerWindow(exact);
}

function describe(exact: ExactPayment): OfflinePayment {
  const { sender, firstValid, lastValid, note } = exact.transferTransaction;
  return {
    txId: exact.transfer.txId,
    groupDigest: exact.digest,
    payer: sender,
    signer: claimedSigner(exact),
    isJudgedByChain: isJudgedByChain(exact),
    firstValid,
    lastValid,
    sponsored: exact.feePayer !== undefined,
    ...(note !== undefined && { note }),
    exact,
  };
}
