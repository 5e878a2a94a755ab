import type { Transaction } from '../../codec/schema/transaction.ts';
import { isAllZero } from '../../codec/bytes.ts';
import { EMPTY_ACCOUNT } from '../account.ts';
import { addressKey } from '../../transaction/address-key.ts';
import { moveMoney } from '../move-money.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { ApplyContext } from './context.ts';

/** Applies a `pay` (go-algorand ledger/apply/payment.go). */
export function applyPayment(payment: Transaction, context: ApplyContext): void {
  const { state, sender } = context;
  const receiver = addressKey(payment.receiver);
  if (payment.amount !== 0n || !isAllZero(payment.receiver)) moveMoney(state, sender, receiver, payment.amount);
  if (!isAllZero(payment.closeRemainderTo)) closeAccount(payment, context);
}

function closeAccount({ closeRemainderTo }: Transaction, { state, sender, effects }: ApplyContext): void {
  const closingAmount = state.account(sender).microAlgos;
  effects.closingAmount = closingAmount;
  moveMoney(state, sender, addressKey(closeRemainderTo), closingAmount);
  const { microAlgos, totalAssets, totalCreatedAssets, applications } = state.account(sender);
  if (microAlgos !== 0n) throw new Refusal(`balance ${microAlgos} still not zero after CloseRemainderTo`);
  if (totalAssets > 0) throw new Refusal(`cannot close: ${totalAssets} outstanding assets`);
  if (totalCreatedAssets > 0) throw new Refusal(`cannot close: ${totalCreatedAssets} outstanding created assets`);
  const { optedIn, boxes, created } = applications;
  if (optedIn > 0) {
    throw new Refusal(`cannot close: ${optedIn} outstanding applications opted in. Please opt out or clear them`);
  }
  if (boxes > 0) throw new Refusal(`cannot close: ${boxes} outstanding boxes`);
  if (created > 0) throw new Refusal(`cannot close: ${created} outstanding created applications`);
  state.setAccount(sender, EMPTY_ACCOUNT);
}
