import { decodeMember } from '@avm402/algorand/signed-transaction';
import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { networkOfGenesis } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { accountFromSeed } from '@avm402/algorand/account';
import { createSigner } from '@avm402/algorand/ed25519';
import { type ChannelConfig, channelId } from '../../src/batch-settlement/channel-config.ts';
import { openingGroup, signByChannel } from '../../src/batch-settlement/channel-groups.ts';
import { encodeChannelTerms } from '../../src/batch-settlement/channel-terms.ts';
import { claimAuthorizerOf } from '../../src/batch-settlement/claim-authorization.ts';
import type { DepositPayload, ParsedDeposit } from '../../src/batch-settlement/payload.ts';
import { signVoucher } from '../../src/batch-settlement/voucher.ts';
import { closer, config as plain, payer, seller, sessionKey } from './channel-fixture.ts';

export const claimKey = createSigner(new Uint8Array(32).fill(5));
export const sponsor = accountFromSeed(new Uint8Array(32).fill(6)).address;
export const config: ChannelConfig = { ...plain, funder: sponsor };

const WINDOW = { firstValid: 10n, lastValid: 1010n, fee: 1000n };

export const requirements: PaymentRequirements = {
  scheme: 'batch-settlement',
  network: networkOfGenesis(config.genesisHash),
  asset: config.token.toString(),
  amount: '10000',
  payTo: seller.address,
  maxTimeoutSeconds: 60,
  extra: encodeChannelTerms({
    receiverAuthorizer: closer.address,
    claimAuthorizer: claimAuthorizerOf(claimKey),
    genesisHash: config.genesisHash,
    feePayer: sponsor,
    funder: sponsor,
    minDeposit: 1_000_000n,
    minRounds: 1000n,
  }),
};

/** A deposit that is right, or whose members are changed before they are signed. */
export function deposit(amount = 1_000_000n, change = (members: readonly Transaction[]) => members): ParsedDeposit {
  const members = change(openingGroup(config, { feePayer: sponsor, deposit: amount }, WINDOW));
  const paymentGroup = members.map((txn) => ({ bytes: signed(txn) }));
  const payload: DepositPayload = {
    type: 'deposit',
    channelConfig: config,
    voucher: signVoucher(sessionKey, channelId(config), 10_000n),
    deposit: { amount, paymentGroup },
  };
  return parsed(payload);
}

/** With what follows from its members' bytes. */
export function parsed(payload: DepositPayload): ParsedDeposit {
  const paymentGroup = payload.deposit.paymentGroup.map(({ bytes }) => ({ bytes, ...decodeMember(bytes) }));
  return { ...payload, deposit: { ...payload.deposit, paymentGroup } };
}

function signed(txn: Transaction): Uint8Array {
  if (txn.sender === payer.address) return payer.signTransaction(txn);
  return txn.sender === channelId(config) ? signByChannel(config, txn) : encodeTransaction(txn);
}
