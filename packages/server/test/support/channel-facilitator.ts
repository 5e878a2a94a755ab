import { parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { transactionId } from '@avm402/algorand/transaction';
import {
  closingGroup,
  encodeChannelTerms,
  isClaimSigned,
  parseChannelPayload,
  type ClaimPayload,
  signByChannel,
} from '@avm402/avm/batch-settlement';
import { checkDeposit } from '@avm402/avm/batch-settlement/server/record';
import { networkOfGenesis } from '@avm402/core/network';
import type { SettleResponse } from '@avm402/core/settle-response';
import { developmentAccounts, type Devnode } from '@avm402/devnode';
import type { FacilitatorClient } from '@x402/core/server';
import type { Network, PaymentPayload, PaymentRequirements } from '@x402/core/types';

const closer = parseAccount(developmentAccounts().facilitator.privateKey);

export interface ChannelFacilitator extends FacilitatorClient {
  readonly network: Network;
  /** What settle was asked for, in order. */
  readonly asked: ('deposit' | 'claim')[];
  /** While it is set, settle answers that; what it leaves undefined is settled. */
  trouble: ((payload: PaymentPayload) => Promise<SettleResponse | undefined>) | undefined;
}

/** The part of a facilitator that channels need, in process: it sponsors deposits and closes for whoever holds the claim key. */
export async function channelFacilitator(node: Devnode): Promise<ChannelFacilitator> {
  const algod = createAlgodClient({ url: node.url, token: node.token });
  const { genesisHash } = await algod.params();
  const network = networkOfGenesis(genesisHash);
  const terms = encodeChannelTerms({
    receiverAuthorizer: closer.address,
    claimAuthorizer: closer.address,
    genesisHash,
    feePayer: closer.address,
    funder: closer.address,
    minDeposit: 100n,
    minRounds: 1000n,
  });
  const { claimAuthorizer: _sellers, ...extra } = terms;
  const facilitator: ChannelFacilitator = {
    network,
    asked: [],
    trouble: undefined,
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'batch-settlement', network, extra }],
      extensions: [],
      signers: { 'algorand:*': [closer.address] },
    }),
    verify: async ({ payload }) => {
      const { type, channelConfig } = parseChannelPayload(payload);
      if (type !== 'voucher') throw new Error('a deposit is settled without being verified before');
      const { lastRound } = await algod.status();
      if (lastRound < channelConfig.expiry) return { isValid: true, extra: { lastRound: String(lastRound) } };
      return { isValid: false, invalidReason: 'invalid_batch_settlement_avm_channel_expiring' };
    },
    settle: async (payload, requirements) => {
      const parsed = parseChannelPayload(payload.payload);
      facilitator.asked.push(parsed.type === 'claim' ? 'claim' : 'deposit');
      const troubled = await facilitator.trouble?.(payload);
      if (troubled !== undefined) return troubled;
      if (parsed.type === 'claim') return claim(algod, parsed, requirements);
      return deposit(algod, payload, requirements);
    },
  };
  return facilitator;
}

async function deposit(
  algod: AlgodClient,
  { payload }: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<SettleResponse> {
  const parsed = parseChannelPayload(payload);
  if (parsed.type !== 'deposit') throw new Error(`settle was asked for a ${parsed.type}`);
  const { members, txId, payer } = checkDeposit(parsed, requirements);
  const signed = members.map(({ signed: { txn }, bytes }) =>
    txn.sender === closer.address ? closer.signTransaction(txn) : bytes,
  );
  await sendOnce(algod, signed);
  return { success: true, payer, transaction: txId, network: requirements.network, extra: await block(algod, txId) };
}

async function claim(
  algod: AlgodClient,
  { channelConfig, amount, voucher, authorization }: ClaimPayload,
  { network, extra }: PaymentRequirements,
): Promise<SettleResponse> {
  const { lastRound, genesisId } = await algod.params();
  const group = closingGroup(channelConfig, amount, {
    firstValid: lastRound,
    lastValid: lastRound + 1000n,
    genesisId,
    fee: 1000n,
  });
  const channelId = group[1]?.sender ?? '';
  if (!isClaimSigned(authorization, { channelId, amount }, String(extra['claimAuthorizer']))) {
    return {
      success: false,
      errorReason: 'invalid_batch_settlement_avm_claim_authorization',
      transaction: '',
      network,
    };
  }
  const signed = group.map((txn, index) => {
    if (txn.sender === closer.address) return closer.signTransaction(txn);
    return signByChannel(channelConfig, txn, index === 1 && amount > 0n ? voucher : undefined);
  });
  await algod.sendRawTransaction(Buffer.concat(signed));
  const transaction = group[1] === undefined ? '' : transactionId(group[1]);
  return { success: true, payer: channelConfig.payer, transaction, network, extra: await block(algod, transaction) };
}

/** In which block it is. */
async function block(algod: AlgodClient, txId: string): Promise<{ readonly confirmedRound: string }> {
  return { confirmedRound: String((await algod.pendingTransaction(txId))?.confirmedRound) };
}

/** A facilitator that is asked again answers what it has answered before. */
async function sendOnce(algod: AlgodClient, signed: readonly Uint8Array[]): Promise<void> {
  try {
    await algod.sendRawTransaction(Buffer.concat(signed));
  } catch (error) {
    if (!String(error).includes('already in ledger')) throw error;
  }
}
