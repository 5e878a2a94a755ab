import { isAllZero, sameBytes } from '../codec/bytes.ts';
import {
  fieldsOfType,
  isTransactionType,
  type Transaction,
  type TransactionType,
} from '../codec/schema/transaction.ts';
import { applicationCallProblem } from './application-call.ts';
import type { FormContext } from './context.ts';
import { heartbeatProblem } from './heartbeat.ts';
import { keyRegistrationProblem } from './key-registration.ts';
import { paymentProblem } from './payment.ts';
import { stateProofProblem } from './state-proof.ts';
import { exactText } from '@avm402/teal/go';
import { assetConfigurationProblem, assetFreezeProblem, assetTransferProblem } from './asset.ts';

type Problem = (transaction: Transaction, context: FormContext) => string | undefined;

const PROBLEM_OF_TYPE: Readonly<Record<TransactionType, Problem>> = {
  pay: paymentProblem,
  keyreg: keyRegistrationProblem,
  acfg: assetConfigurationProblem,
  axfer: assetTransferProblem,
  afrz: assetFreezeProblem,
  appl: applicationCallProblem,
  stpf: stateProofProblem,
  hb: heartbeatProblem,
};

/** A field that only transactions of one type may set. */
interface OwnField {
  readonly type: string;
  readonly name: string;
  readonly kind: { readonly zero: unknown; isUnset(value: unknown): boolean; isZero(value: unknown): boolean };
}

/** Fields that only one type may set, in the order in which algod looks for fields of a wrong type. */
const OWN_FIELDS = Object.keys(PROBLEM_OF_TYPE)
  .filter(isTransactionType)
  .flatMap((type) =>
    Object.entries<Pick<OwnField, 'kind'>>(fieldsOfType[type]).map(([name, { kind }]): OwnField => ({
      type,
      name,
      kind,
    })),
  );

/** The fields that each type must not set. */
const FOREIGN_FIELDS = Object.fromEntries(
  Object.keys(PROBLEM_OF_TYPE).map((type) => [type, OWN_FIELDS.filter((each) => each.type !== type)]),
) as unknown as Readonly<Record<TransactionType, readonly OwnField[]>>;

/**
 * The first problem with the form of a transaction, independent of the ledger, in algod's words; undefined if there is
 * none (go-algorand data/transactions/transaction.go, WellFormed).
 */
export function formProblem(transaction: Transaction, context: FormContext): string | undefined {
  const { type } = transaction;
  if (!isTransactionType(type)) return `unknown tx type ${exactText(type)}`;
  return (
    PROBLEM_OF_TYPE[type](transaction, context) ??
    foreignFieldProblem(transaction, type) ??
    headerProblem(transaction, context)
  );
}

function foreignFieldProblem(transaction: Transaction, type: TransactionType): string | undefined {
  const values: Readonly<Record<string, unknown>> = transaction;
  const foreign = FOREIGN_FIELDS[type].find(
    (field) => values[field.name] !== field.kind.zero && isSet(field, values[field.name]),
  );
  return foreign && `transaction of type ${type} has non-zero fields for type ${foreign.type}`;
}

/** An explicitly empty list counts as set, except in the fields of a state proof. */
function isSet({ type, kind }: OwnField, value: unknown): boolean {
  return type === 'stpf' ? !kind.isZero(value) : !kind.isUnset(value);
}

function headerProblem(transaction: Transaction, { parameters, rewardsPool }: FormContext): string | undefined {
  const { firstValid, lastValid, note, sender } = transaction;
  if (lastValid < firstValid) return `transaction invalid range (${firstValid}--${lastValid})`;
  if (lastValid - firstValid > parameters.maxTransactionLife) {
    return `transaction window size excessive (${firstValid}--${lastValid})`;
  }
  if (note.length > parameters.maxNoteBytes) {
    return `transaction note too big: ${note.length} > ${parameters.maxNoteBytes}`;
  }
  if (sameBytes(sender, rewardsPool)) return 'transaction from incentive pool is invalid';
  return isAllZero(sender) ? 'transaction cannot have zero sender' : undefined;
}
