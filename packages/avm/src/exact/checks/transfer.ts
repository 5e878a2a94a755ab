import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { MIN_ROUNDS_LEFT } from '../../node/validity-window.ts';
import { isUptoLease } from '../../signing/upto-lease.ts';
import type { ExactPayment } from './group.ts';

/**
 * Checks that the required asset is transferred.
 * @throws X402Error `invalid_exact_avm_asset_mismatch`
 */
export function checkAsset({ transferTransaction }: ExactPayment, { asset }: PaymentRequirements): void {
  if (String(transferTransaction.assetId) === asset) return;
  throw new X402Error('invalid_exact_avm_asset_mismatch', {
    message: `asset ${asset} is asked for, asset ${transferTransaction.assetId} is transferred`,
  });
}

/**
 * Checks that exactly the required amount is transferred, and that it is not zero: a transfer of zero succeeds on chain
 * without balance, opt-in or even an asset.
 * @throws X402Error `invalid_exact_avm_amount_mismatch`
 */
export function checkAmount({ transferTransaction }: ExactPayment, { amount }: PaymentRequirements): void {
  if (transferTransaction.amount > 0n && String(transferTransaction.amount) === amount) return;
  throw new X402Error('invalid_exact_avm_amount_mismatch', {
    message: `${amount} atomic units are asked for, ${transferTransaction.amount} are transferred`,
  });
}

/**
 * Checks that the seller receives the payment.
 * @throws X402Error `invalid_exact_avm_receiver_mismatch`
 */
export function checkReceiver({ transferTransaction }: ExactPayment, { payTo }: PaymentRequirements): void {
  if (transferTransaction.receiver === payTo) return;
  throw new X402Error('invalid_exact_avm_receiver_mismatch', {
    message: `the payment must go to ${payTo}, not to ${transferTransaction.receiver}`,
  });
}

/**
 * Checks that the payer is not the receiver: paying oneself costs nothing and proves nothing.
 * @throws X402Error `invalid_exact_avm_payer_is_receiver`
 */
export function checkPayerIsNotReceiver({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.sender !== transferTransaction.receiver) return;
  throw new X402Error('invalid_exact_avm_payer_is_receiver', { message: 'payer and receiver are one account' });
}

/**
 * Refuses a clawback, which would take the asset from someone who did not sign.
 * @throws X402Error `invalid_exact_avm_asset_sender`
 */
export function checkAssetSender({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.assetSender === undefined) return;
  throw new X402Error('invalid_exact_avm_asset_sender', {
    message: 'the payment must not be a clawback (asset sender, asnd)',
  });
}

/**
 * Checks that the payment closes nothing out, which would give away more than its price.
 * @throws X402Error `invalid_exact_avm_asset_close`
 */
export function checkAssetClose({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.assetCloseTo === undefined) return;
  throw new X402Error('invalid_exact_avm_asset_close', {
    message: 'the payment must not close out the asset (asset close to, aclose)',
  });
}

/**
 * Checks that the payment does not rekey the payer's account.
 * @throws X402Error `invalid_exact_avm_rekey`
 */
export function checkRekey({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.rekeyTo === undefined) return;
  throw new X402Error('invalid_exact_avm_rekey', { message: 'the payment must not rekey the payer (rekey to, rekey)' });
}

/**
 * Refuses a lease, unless a program signs: of several payments under one lease only one can settle, so a lease limits
 * what a program pays. A lease of the scheme `upto` is for nothing else.
 * @throws X402Error `invalid_exact_avm_lease`
 */
export function checkLease({ transfer, transferTransaction: { lease } }: ExactPayment): void {
  if (lease === undefined || (transfer.signed.logicSignature !== undefined && !isUptoLease(lease))) return;
  throw new X402Error('invalid_exact_avm_lease', { message: 'only a payment by a program may hold a lease (lx)' });
}

/** Bytes of note that cost no extra fee (algod: MaxTxnNoteBytes before v42, the free part since then). */
const MAX_NOTE_BYTES = 1024;

/**
 * Checks that the payment's note has at most 1024 bytes.
 * @throws X402Error `invalid_exact_avm_note_too_long`
 */
export function checkNote({ transferTransaction: { note } }: ExactPayment): void {
  if (note === undefined || note.length <= MAX_NOTE_BYTES) return;
  throw new X402Error('invalid_exact_avm_note_too_long', {
    message: `the note has ${note.length} bytes, at most ${MAX_NOTE_BYTES} are accepted`,
  });
}

/**
 * Checks that the chain accepts the window at some time. Several SDKs always sign the longest window.
 * @throws X402Error `invalid_exact_avm_window_too_long`, `_expired`
 */
export function checkWindowLength({ transferTransaction: { firstValid, lastValid } }: ExactPayment): void {
  if (lastValid < firstValid) {
    throw new X402Error('invalid_exact_avm_expired', {
      message: `the payment is never valid: it ends with round ${lastValid}, before it begins with round ${firstValid}`,
    });
  }
  if (lastValid - firstValid > MAX_WINDOW_ROUNDS) {
    throw new X402Error('invalid_exact_avm_window_too_long', {
      message: `the payment is valid for ${lastValid - firstValid} rounds, at most ${MAX_WINDOW_ROUNDS} are allowed`,
    });
  }
}

/**
 * Checks that the payment stays valid for some rounds after `lastRound`.
 * @throws X402Error `invalid_exact_avm_window_too_short`
 */
export function checkWindowLeft({ transferTransaction: { lastValid } }: ExactPayment, lastRound: bigint): void {
  if (lastValid - lastRound >= MIN_ROUNDS_LEFT) return;
  throw new X402Error('invalid_exact_avm_window_too_short', {
    message: `the payment has ${lastValid - lastRound} rounds left, at least ${MIN_ROUNDS_LEFT} are needed`,
  });
}

/**
 * Checks that the payment is valid in the block after `lastRound`.
 * @throws X402Error `invalid_exact_avm_expired`, `invalid_exact_avm_not_yet_valid`
 */
export function checkWindowNow(
  { transferTransaction: { firstValid, lastValid } }: ExactPayment,
  lastRound: bigint,
): void {
  if (lastValid <= lastRound) {
    throw new X402Error('invalid_exact_avm_expired', {
      message: `the payment was valid until round ${lastValid}, the chain is at round ${lastRound}`,
    });
  }
  if (firstValid > lastRound + 1n) {
    throw new X402Error('invalid_exact_avm_not_yet_valid', {
      message: `the payment is valid from round ${firstValid}, the chain is at round ${lastRound}`,
    });
  }
}
