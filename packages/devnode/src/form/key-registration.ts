import { formatAddress } from '@avm402/algorand/address';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { FormContext } from './context.ts';

/** The problem with the form of a `keyreg`, if any (go-algorand data/transactions/keyreg.go). */
export function keyRegistrationProblem(registration: Transaction, context: FormContext): string | undefined {
  const { sender, voteFirstValid, voteLastValid, voteKey, selectionKey, voteKeyDilution } = registration;
  if (sameBytes(sender, context.feeSink)) {
    return `cannot register participation key for fee sink's address ${formatAddress(sender)}`;
  }
  if (voteFirstValid > voteLastValid) {
    return 'transaction first voting round need to be less than its last voting round';
  }
  const cleared = [isAllZero(voteKey), isAllZero(selectionKey), voteKeyDilution === 0n];
  if (new Set(cleared).size > 1) {
    return 'the following transaction fields need to be clear/set together : votekey, selkey, votekd';
  }
  const problem = isAllZero(voteKey) ? offlineProblem(registration) : onlineProblem(registration, context);
  return problem ?? stateProofKeyProblem(registration);
}

function offlineProblem({ voteFirstValid, voteLastValid }: Transaction): string | undefined {
  if (voteFirstValid === 0n && voteLastValid === 0n) return undefined;
  return 'on going offline key registration transaction, the vote first and vote last fields should not be set';
}

function onlineProblem(registration: Transaction, { parameters }: FormContext): string | undefined {
  const { voteFirstValid, voteLastValid, lastValid, nonparticipation } = registration;
  const attempt = 'transaction tries to register keys to go online, but';
  if (voteLastValid === 0n) return `${attempt} vote last is set to zero`;
  if (voteFirstValid > lastValid + 1n) {
    return `${attempt} first voting round is beyond the round after last valid round`;
  }
  if (nonparticipation) return `${attempt} nonparticipatory flag is set`;
  if (voteLastValid - voteFirstValid > parameters.maxKeyregValidPeriod) {
    return 'validity period for keyreg transaction is too long';
  }
  return undefined;
}

function stateProofKeyProblem({ stateProofKey, voteKey, nonparticipation }: Transaction): string | undefined {
  const empty = isAllZero(stateProofKey);
  if (nonparticipation) {
    return empty ? undefined : 'non participation keyreg transactions should contain empty stateProofPK';
  }
  if (isAllZero(voteKey)) return empty ? undefined : 'offline keyreg transactions should contain empty stateProofPK';
  return empty ? 'online keyreg transaction cannot have empty field StateProofPK' : undefined;
}
