import { isAllZero } from '../../codec/bytes.ts';
import type { Transaction } from '../../codec/schema/transaction.ts';
import type { Account, Participation } from '../account.ts';
import { addressText } from '../../transaction/address-key.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { ApplyContext } from './context.ts';

/** Rounds until a new online account's keys count; until then it must not be found absent. */
const BALANCE_LOOKBACK = 320n;

/** Applies a `keyreg` (go-algorand ledger/apply/keyreg.go). */
export function applyKeyRegistration(registration: Transaction, context: ApplyContext): void {
  const { state, sender } = context;
  const account = state.account(sender);
  if (account.status === 'Not Participating') {
    throw new Refusal(`cannot change online/offline status of non-participating account ${addressText(sender)}`);
  }
  state.setAccount(sender, registered(account, registration, context));
}

function registered(account: Account, registration: Transaction, { round, parameters }: ApplyContext): Account {
  if (isAllZero(registration.voteKey)) {
    const status = registration.nonparticipation ? 'Not Participating' : 'Offline';
    return { ...account, status, participation: undefined };
  }
  if (registration.voteLastValid <= round) {
    throw new Refusal('transaction tries to mark an account as online with last voting round in the past');
  }
  if (registration.voteFirstValid > round + 1n) {
    throw new Refusal(
      'transaction tries to mark an account as online with first voting round beyond the next voting round',
    );
  }
  return {
    ...account,
    status: 'Online',
    participation: participationOf(registration),
    lastHeartbeat: round + BALANCE_LOOKBACK,
    incentiveEligible: account.incentiveEligible || registration.fee >= parameters.goOnlineFee,
  };
}

function participationOf(registration: Transaction): Participation {
  const { voteKey, selectionKey, stateProofKey, voteFirstValid, voteLastValid, voteKeyDilution } = registration;
  return { voteKey, selectionKey, stateProofKey, voteFirstValid, voteLastValid, voteKeyDilution };
}
