import type { Account } from '@avm402/algorand/account';
import { formatAddress } from '@avm402/algorand/address';
import type { AlgodClient } from '@avm402/algorand/algod';
import { createSigner } from '@avm402/algorand/ed25519';
import { encodeTransaction } from '@avm402/algorand/transaction';
import {
  type ChannelConfig,
  channelId,
  claimAuthorizerOf,
  encodeChannelPayload,
  type GroupTerms,
  openingGroup,
  signByChannel,
  signVoucher,
} from '@avm402/avm/batch-settlement';
import { algorandNetwork } from '@avm402/core/network';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { SupportedResponse } from '@avm402/core/supported-response';
import { USDC } from '@avm402/stack/balances';

export const DEPOSIT = 5_000_000n;
/** Signs the payer's vouchers. */
export const sessionKey = createSigner(new Uint8Array(32).fill(4));
/** Signs the seller's claims. */
export const claimKey = createSigner(new Uint8Array(32).fill(5));

/** When a group of now is valid, and what its members cost. */
export async function groupTerms(algod: AlgodClient) {
  const { lastRound, genesisId } = await algod.params();
  return { firstValid: lastRound, lastValid: lastRound + 100n, genesisId, fee: 1_000n };
}

/** A channel of a payer to a seller, which the sponsor closes. */
export async function channelConfig(
  algod: AlgodClient,
  { payer, seller, sponsor }: { readonly payer: string; readonly seller: string; readonly sponsor: string },
): Promise<ChannelConfig> {
  const { genesisHash, lastRound } = await algod.params();
  return {
    payer,
    payerAuthorizer: formatAddress(sessionKey.publicKey),
    receiver: seller,
    receiverAuthorizer: sponsor,
    token: USDC,
    expiry: lastRound + 2_000n,
    funder: sponsor,
    genesisHash,
    salt: new Uint8Array(16).fill(1),
  };
}

/** The offer of a seller at this facilitator. */
export async function channelRequirements(url: string, config: ChannelConfig): Promise<PaymentRequirements> {
  const { kinds } = (await (await fetch(`${url}/supported`)).json()) as SupportedResponse;
  const { extra } = kinds.find(({ scheme }) => scheme === 'batch-settlement') ?? {};
  return {
    scheme: 'batch-settlement',
    network: algorandNetwork(encodeBase64(config.genesisHash)),
    asset: String(USDC),
    amount: '10000',
    payTo: config.receiver,
    maxTimeoutSeconds: 3600,
    extra: { ...extra, claimAuthorizer: claimAuthorizerOf(claimKey) },
  };
}

export interface Opening {
  readonly algod: AlgodClient;
  readonly payer: Account;
  readonly accepted: PaymentRequirements;
  /** When the deposit is valid, and what it costs; default: from now. */
  readonly terms?: GroupTerms;
  /** The amount of its voucher; default: the least. */
  readonly voucher?: bigint;
}

/** The payment that opens the channel. */
export async function openingPayment(
  config: ChannelConfig,
  { algod, payer, accepted, terms, voucher: amount = 1n }: Opening,
): Promise<PaymentPayload> {
  const id = channelId(config);
  const group = openingGroup(config, { feePayer: config.funder, deposit: DEPOSIT }, terms ?? (await groupTerms(algod)));
  const paymentGroup = group.map((txn) => {
    if (txn.sender === config.payer) return { bytes: payer.signTransaction(txn) };
    return { bytes: txn.sender === id ? signByChannel(config, txn) : encodeTransaction(txn) };
  });
  const voucher = signVoucher(sessionKey, id, amount);
  const deposit = { amount: DEPOSIT, paymentGroup };
  const payload = encodeChannelPayload({ type: 'deposit', channelConfig: config, voucher, deposit });
  return { x402Version: 2, accepted, payload };
}
