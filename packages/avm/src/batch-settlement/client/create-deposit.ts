import { encodeBase64 } from '@avm402/algorand/base64';
import { encodeTransaction, transactionId, type Transaction } from '@avm402/algorand/transaction';
import { memberFee, TRANSFER_BYTES } from '../../node/network-fees.ts';
import type { NetworkMoment } from '../../node/network-params.ts';
import type { GroupTerms } from '../../signing/pooled-group.ts';
import type { PaymentSigner } from '../../signing/payment-signer.ts';
import { validityWindow } from '../../node/validity-window.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { openingGroup, signByChannel, toppingUpGroup } from '../channel-groups.ts';

/** The number of equal deposits of one channel, made in one round, that differ in their last round. */
const EQUAL_DEPOSITS = 8;

export interface DepositOptions {
  /** `open`: the channel does not exist yet. */
  readonly kind: 'open' | 'top-up';
  /** Atomic units. */
  readonly amount: bigint;
  /**
   * Number of deposits that the channel had before. Two equal deposits must not share a TxID, and their groups have no
   * note.
   */
  readonly earlier: number;
}

interface CreateDepositOptions extends DepositOptions {
  readonly config: ChannelConfig;
  readonly feePayer: string;
  readonly maxTimeoutSeconds: number;
  readonly moment: NetworkMoment;
  readonly signer: PaymentSigner;
}

/** A signed deposit that was not sent. */
export interface CreatedDeposit {
  /** The group's members; those of fee payer and funder are not signed. */
  readonly paymentGroup: readonly Uint8Array[];
  /** TxID of the payer's transfer. */
  readonly txId: string;
  readonly groupTxIds: readonly string[];
  /** The group's id in base64. */
  readonly groupId: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
}

/**
 * Builds the group that opens a channel or adds to its deposit, and signs the payer's member: one signature.
 * @throws X402Error `signer_failed`
 */
export async function createDeposit(options: CreateDepositOptions): Promise<CreatedDeposit> {
  const { config, kind, amount, feePayer, signer } = options;
  const terms = termsAt(options);
  const transactions = (kind === 'open' ? openingGroup : toppingUpGroup)(config, { feePayer, deposit: amount }, terms);
  const encoded = transactions.map(encodeTransaction);
  const groupTxIds = encoded.map(transactionId);
  const last = transactions.length - 1;
  const transfer = await signer.sign({ transactions, encoded }, last);
  const channel = channelId(config);
  const member = (txn: Transaction, index: number): Uint8Array => {
    if (index === last) return transfer;
    return txn.sender === channel ? signByChannel(config, txn) : encodeTransaction(txn);
  };
  return {
    paymentGroup: transactions.map(member),
    txId: groupTxIds[last] ?? '',
    groupTxIds,
    groupId: encodeBase64(transactions[last]?.group ?? new Uint8Array()),
    firstValid: terms.firstValid,
    lastValid: terms.lastValid,
  };
}

function termsAt({ moment, maxTimeoutSeconds, earlier }: CreateDepositOptions): GroupTerms {
  const { params } = moment;
  const { firstValid, lastValid } = validityWindow(moment, maxTimeoutSeconds);
  const apart = BigInt(earlier % EQUAL_DEPOSITS);
  return {
    firstValid,
    lastValid: lastValid - apart,
    genesisId: params.genesisId,
    fee: memberFee(params, TRANSFER_BYTES),
  };
}
