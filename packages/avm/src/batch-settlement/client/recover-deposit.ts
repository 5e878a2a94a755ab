import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import type { PaymentSigner } from '../../signing/payment-signer.ts';
import { type GroupTerms, pooledGroup } from '../../signing/pooled-group.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import { refundGroup, signByChannel } from '../channel-groups.ts';

/**
 * The signed group that returns a channel's whole balance to the payer after the expiry. The payer pays its fee.
 * @throws X402Error `signer_failed`
 */
export async function createRefund(
  config: ChannelConfig,
  signer: PaymentSigner,
  terms: GroupTerms,
): Promise<Uint8Array[]> {
  const transactions = refundGroup(config, config.payer, terms);
  const group = { transactions, encoded: transactions.map(encodeTransaction) };
  const fee = await signer.sign(group, 0);
  return transactions.map((txn, index) => (index === 0 ? fee : signByChannel(config, txn)));
}

/**
 * The signed group by which the payer empties an account that a close has handed over to it (rule L4): the asset goes
 * to the payer, the ALGO to the funder. The account pays the fee from the ALGO lent to it.
 * @throws X402Error `signer_failed`
 */
export async function createTakeOver(
  config: ChannelConfig,
  signer: PaymentSigner,
  terms: GroupTerms,
): Promise<Uint8Array[]> {
  const transactions = takeOverGroup(config, terms);
  const group = { transactions, encoded: transactions.map(encodeTransaction) };
  const signed: Uint8Array[] = [];
  // One after another, because a wallet asks its user each time.
  for (const index of transactions.keys()) signed.push(await signer.sign(group, index));
  return signed;
}

function takeOverGroup(config: ChannelConfig, terms: GroupTerms): Transaction[] {
  const { payer, funder, token: assetId } = config;
  const sender = channelId(config);
  return pooledGroup(config.genesisHash, terms, [
    { type: 'axfer', sender, receiver: payer, assetId, amount: 0n, assetCloseTo: payer },
    { type: 'pay', sender, receiver: funder, amount: 0n, closeRemainderTo: funder },
  ]);
}
