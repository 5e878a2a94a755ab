import { sameBytes } from '@avm402/algorand/bytes';
import { assignGroup } from '@avm402/algorand/group';
import {
  type AssetTransferTransaction,
  decodeTransaction,
  encodeTransaction,
  type Transaction,
} from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { TransactionWallet } from '../signing/wallet.ts';
import { mandateAddress, type MandateConfig, mandateProgram } from './mandate-config.ts';
import { type AgentKey, signMandatePayment } from './mandate-groups.ts';
import { paymentEnd, slotLease, slotOfLease, WINDOW_ROUNDS } from './mandate-window.ts';
import { ANY_RECEIVER, type ReceiverTree } from './receiver-tree.ts';

export interface MandateWalletOptions {
  readonly mandate: MandateConfig;
  readonly agent: AgentKey;
  /** The tree whose root the mandate names; not needed if the mandate may pay anybody. */
  readonly receivers?: ReceiverTree;
  /**
   * Takes a free slot for a payment made after `lastRound` that is valid until `until`, e.g. `MandateSlots.take`.
   * @throws X402Error `mandate_exhausted`
   */
  readonly takeSlot: (lastRound: bigint, until: bigint) => bigint | Promise<bigint>;
}

/**
 * The most rounds of validity that an offer can make a payment wait for the next window. Payments on a development node
 * ask for 1,000.
 */
const MOST_ROUNDS_ASKED = WINDOW_ROUNDS / 2n;

/** Bytes of a program's signature besides the program, the agent's signature and the path, and of the payment's lease. */
const FIELDS_BYTES = 60;

/**
 * A wallet that pays from a mandate. It has the shape of `ClientAvmSigner` of the stock package (`toClientAvmSigner`):
 * a client that knows nothing of mandates passes it any group of a payment and gets the group back with a lease, a
 * window and an id that the mandate allows.
 * @throws X402Error `invalid_mandate` if the tree is not the mandate's
 */
export function mandateWallet(
  options: MandateWalletOptions,
): TransactionWallet & Required<Pick<TransactionWallet, 'adapt' | 'signatureCost'>> {
  const { mandate, agent, receivers, takeSlot } = options;
  const address = mandateAddress(mandate);
  if (!sameBytes(receivers?.root ?? ANY_RECEIVER, mandate.receivers)) {
    throw new X402Error('invalid_mandate', { message: 'the tree of receivers is not the one that the mandate names' });
  }
  const pathTo = (receiver: string): { readonly path?: Uint8Array } => {
    if (receivers === undefined) return {};
    const path = receivers.pathTo(receiver);
    if (path === undefined) throw refusal(`${receiver} is not among its receivers`);
    return { path };
  };
  const check = (transfer: AssetTransferTransaction): void => {
    checkTerms(mandate, transfer);
    pathTo(transfer.receiver);
  };
  const adapt = async (transfer: AssetTransferTransaction): Promise<AssetTransferTransaction> => {
    check(transfer);
    const { firstValid, lastValid: asked } = transfer;
    const lastValid = paymentEnd(firstValid, least(asked - firstValid, MOST_ROUNDS_ASKED));
    if (lastValid > mandate.expiry) throw refusal(`it expires after round ${mandate.expiry}`);
    return { ...transfer, lastValid, lease: slotLease(await takeSlot(firstValid, lastValid)) };
  };
  const sign = (transfer: AssetTransferTransaction): Uint8Array =>
    signMandatePayment(mandate, transfer, { agent, ...pathTo(transfer.receiver) });
  return {
    address,
    adapt,
    signatureCost: {
      bytes: mandateProgram(mandate).length + FIELDS_BYTES + (receivers?.longestPath ?? 0),
      minFees: 0n,
    },
    async signTransactions(encoded, indexesToSign) {
      const group = encoded.map(decodeTransaction);
      const index = onlyPayment(group, address, indexesToSign);
      const transfer = group[index];
      if (transfer?.type !== 'axfer') throw refusal('it pays by asset transfers only');
      if (isAdapted(transfer)) {
        check(transfer);
        return group.map((_, at) => (at === index ? sign(transfer) : null));
      }
      const members = regrouped(group, index, await adapt(transfer));
      return members.map((txn, at) => (at === index && txn.type === 'axfer' ? sign(txn) : encodeTransaction(txn)));
    },
  };
}

function checkTerms({ asset, cap }: MandateConfig, transfer: AssetTransferTransaction): void {
  if (transfer.assetId !== asset) throw refusal(`it pays asset ${asset}, not ${transfer.assetId}`);
  if (transfer.amount > cap) throw refusal(`one payment moves at most ${cap}, this one ${transfer.amount}`);
  const { assetSender, assetCloseTo, rekeyTo } = transfer;
  if ((assetSender ?? assetCloseTo ?? rekeyTo) !== undefined) throw refusal('a payment does nothing but pay');
}

function refusal(what: string): X402Error {
  return new X402Error('mandate_refuses', { message: `the mandate does not allow this payment: ${what}` });
}

/** The index of the one member that leaves the mandate. */
function onlyPayment(group: readonly Transaction[], address: string, indexes: readonly number[] | undefined): number {
  const own = [...group.keys()].filter((index) => group[index]?.sender === address);
  const [index, ...others] = own;
  if (index === undefined || others.length > 0) throw refusal('a group has one payment of the mandate');
  if (indexes !== undefined && (indexes.length !== 1 || indexes[0] !== index)) {
    throw refusal('it signs its own payment only');
  }
  return index;
}

/** Whether the transfer has a slot and the end of a window already. */
function isAdapted({ lease, lastValid }: AssetTransferTransaction): boolean {
  return lease !== undefined && slotOfLease(lease) !== undefined && lastValid % WINDOW_ROUNDS === 0n;
}

/** The group with this transfer; all members have its window, as the scheme `exact` asks. */
function regrouped(group: readonly Transaction[], index: number, transfer: AssetTransferTransaction): Transaction[] {
  const { firstValid, lastValid } = transfer;
  const members = group.map((txn, at): Transaction => {
    const { group: _, ...member } = at === index ? transfer : txn;
    return { ...member, firstValid, lastValid };
  });
  return members.length === 1 ? members : assignGroup(members);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
