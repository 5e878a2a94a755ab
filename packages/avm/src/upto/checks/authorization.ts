import { parseAddress } from '@avm402/algorand/address';
import { verify } from '@avm402/algorand/ed25519';
import { MAX_WINDOW_ROUNDS } from '@avm402/algorand/transaction';
import { programSigningBytes } from '@avm402/algorand/program';
import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { MIN_ROUNDS_LEFT } from '../../node/validity-window.ts';
import type { UptoPayment } from '../payload.ts';
import { type UptoAuthorization, uptoProgram } from '../upto-program.ts';

/**
 * Checks that the authorization matches the offer: receiver, fee payer, token, network, and the maximum (rule 2).
 * @throws X402Error `invalid_upto_avm_authorization`
 */
export function checkAuthorizationTerms({ payer, authorization }: UptoPayment, offer: PaymentRequirements): void {
  const { receiver, feePayer } = authorization;
  const wrong = differingTerm(authorization, offer);
  if (wrong !== undefined) throw invalid(`its ${wrong} is not that of the offer`);
  if (payer === receiver || payer === feePayer) throw invalid('the payer is the receiver or the fee payer');
}

function differingTerm(authorization: UptoAuthorization, offer: PaymentRequirements): string | undefined {
  const { receiver, feePayer, token, maxAmount, genesisHash } = authorization;
  if (receiver !== offer.payTo) return 'receiver';
  if (feePayer !== offer.extra['feePayer']) return 'feePayer';
  if (token.toString() !== offer.asset) return 'token';
  if (maxAmount.toString() !== offer.amount) return 'maxAmount';
  const network = networkOfGenesis(genesisHash);
  return networksEqual(network, offer.network) ? undefined : 'genesisHash';
}

/**
 * Checks that enough rounds are left for a handler, and that the authorization ends within the longest window of a
 * transaction (rule 3).
 * @throws X402Error `invalid_upto_avm_expired`, `invalid_upto_avm_authorization`
 */
export function checkAuthorizationWindow(payment: UptoPayment, lastRound: bigint): void {
  checkRoundsLeft(payment, lastRound, MIN_ROUNDS_LEFT);
}

/**
 * Checks that it can be settled in the next block. A verified authorization is not refused because its handler took
 * some rounds.
 * @throws X402Error `invalid_upto_avm_expired`, `invalid_upto_avm_authorization`
 */
export function checkAuthorizationNow(payment: UptoPayment, lastRound: bigint): void {
  checkRoundsLeft(payment, lastRound, 1n);
}

function checkRoundsLeft({ authorization: { lastValid } }: UptoPayment, lastRound: bigint, least: bigint): void {
  if (lastValid - lastRound < least) {
    throw new X402Error('invalid_upto_avm_expired', {
      message: `the authorization ends with round ${lastValid}, the chain is at round ${lastRound}`,
    });
  }
  if (lastValid - lastRound > MAX_WINDOW_ROUNDS) {
    throw invalid(`it ends more than ${MAX_WINDOW_ROUNDS} rounds from now, with round ${lastValid}`);
  }
}

/**
 * Checks that the program is signed by the payer, or by the address that it claims to be rekeyed to (rule 4). The
 * simulation shows whether it is really rekeyed.
 * @throws X402Error `invalid_upto_avm_signature`
 */
export function checkAuthorizationSignature({ payer, authorization, signature, authAddress }: UptoPayment): void {
  const signer = parseAddress(authAddress ?? payer);
  const isRight = authAddress !== payer && verify(signer, programSigningBytes(uptoProgram(authorization)), signature);
  if (!isRight) throw new X402Error('invalid_upto_avm_signature');
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_upto_avm_authorization', { message: `the authorization: ${what}` });
}
