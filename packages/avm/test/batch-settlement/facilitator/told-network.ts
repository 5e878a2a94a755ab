import { encodeTransaction, type Transaction } from '@avm402/algorand/transaction';
import { isX402Error } from '@avm402/core/errors';
import { type ChannelConfig, channelId } from '../../../src/batch-settlement/channel-config.ts';
import { openingGroup, signByChannel, toppingUpGroup } from '../../../src/batch-settlement/channel-groups.ts';
import { claimAuthorizerOf, signClaim } from '../../../src/batch-settlement/claim-authorization.ts';
import type { ChannelNetwork, ChannelPolicy } from '../../../src/batch-settlement/facilitator/channel-network.ts';
import { type ChannelRequest, checkChannelRequest } from '../../../src/batch-settlement/facilitator/channel-request.ts';
import { encodeChannelPayload } from '../../../src/batch-settlement/payload.ts';
import { signVoucher } from '../../../src/batch-settlement/voucher.ts';
import type { Sponsor } from '../../../src/sponsorship/sponsor.ts';
import { accountFromSeed } from '@avm402/algorand/account';
import { closer, payer, seller, sessionKey } from '../channel-fixture.ts';
import { claimKey, config, requirements } from '../channel-stage.ts';

const lender = accountFromSeed(new Uint8Array(32).fill(6));
export const claimAuthorizer = claimAuthorizerOf(claimKey);

/** What a test says of a chain and of a facilitator; what it leaves out lets everything pass. */
export interface Told {
  /** The round in which the node asked is. */
  readonly round?: bigint;
  /** The latest round that any node has shown. */
  readonly known?: bigint;
  /** The round in which a group is tried. */
  readonly tried?: bigint;
  /** What the node says of a group: the reason why it fails, undefined where it does not. Last first. */
  readonly failures?: (string | undefined)[];
  readonly algod?: Partial<ChannelNetwork['algod']>;
  readonly fees?: { readonly fee?: bigint; readonly minFee?: bigint };
  readonly network?: Partial<ChannelNetwork>;
  readonly sponsor?: Partial<Sponsor>;
  readonly policy?: Partial<ChannelPolicy>;
}

/** A network of which a facilitator is told this; nothing is asked of a real node. */
export function told({ round = 100n, known = 0n, tried = round, failures = [], fees, ...change }: Told = {}) {
  const params = { fee: 0n, minFee: 1000n, genesisId: 'here-v1', genesisHash: config.genesisHash };
  const account = { address: '', minBalance: 0n, round };
  const network: ChannelNetwork = {
    network: requirements.network,
    genesisHash: 'a hash',
    lastRound: () => known,
    known: async () => ({ claimAuthorizer, isOpen: true, openedIn: 20n }),
    isUsed: async () => false,
    hasPlaceFor: async () => true,
    claimKeysOf: () => undefined,
    ...change.network,
    algod: {
      params: async () => ({ ...params, ...fees, lastRound: round, consensusVersion: '' }),
      simulate: async () => {
        const failureMessage = failures.pop();
        return { lastRound: tried, wouldSucceed: !failureMessage, ...(failureMessage && { failureMessage }) };
      },
      account: async () => ({ ...account, amount: 0n }),
      accountAsset: async () => ({ amount: 500n, isFrozen: false }),
      ...change.algod,
    },
    sponsor: {
      account: closer,
      accounts: new Map([closer, lender].map((one) => [one.address, one])),
      feePayer: () => lender.address,
      uptoFeePayer: () => undefined,
      payTo: new Set([seller.address]),
      assets: new Set([String(config.token)]),
      minAmount: 1n,
      anyone: false,
      maxFee: 10_000n,
      budgetLeft: async () => 10_000n,
      ...change.sponsor,
    },
    policy: {
      minDeposit: 1n,
      minRounds: 1n,
      maxRounds: 5000n,
      handOverAmount: 100n,
      maxAge: 1000n,
      ...change.policy,
    },
  };
  return network;
}

type Kind<Type> = Extract<ChannelRequest, { readonly type: Type }>;
type Payload = Parameters<typeof encodeChannelPayload>[0];

function asked<Type extends ChannelRequest['type']>(payload: Payload & { type: Type }, network: ChannelNetwork) {
  const wire = { x402Version: 2, accepted: requirements, payload: encodeChannelPayload(payload) };
  // Its type is that of the payload.
  return checkChannelRequest(wire, requirements, () => network) as Kind<Type>;
}

const DEPOSIT = 1_000_000n;

/** A deposit that is valid in the rounds 10 to 1010, into a channel that expires in round 5000. */
export function depositRequest(network: ChannelNetwork, kind: 'open' | 'top-up' = 'open', channel = config) {
  const feePayer = lender.address;
  const terms = { firstValid: 10n, lastValid: 1010n, fee: 1000n };
  const group = (kind === 'open' ? openingGroup : toppingUpGroup)(channel, { feePayer, deposit: DEPOSIT }, terms);
  const paymentGroup = group.map((txn) => ({ bytes: signedMember(channel, txn) }));
  const voucher = signVoucher(sessionKey, channelId(channel), 10_000n);
  const deposit = { amount: DEPOSIT, paymentGroup };
  return asked({ type: 'deposit', channelConfig: channel, voucher, deposit }, network);
}

function signedMember(channel: ChannelConfig, txn: Transaction): Uint8Array {
  if (txn.sender === payer.address) return payer.signTransaction(txn);
  return txn.sender === channelId(channel) ? signByChannel(channel, txn) : encodeTransaction(txn);
}

export function voucherRequest(network: ChannelNetwork, amount: bigint) {
  const voucher = signVoucher(sessionKey, channelId(config), amount);
  return asked({ type: 'voucher', channelConfig: config, voucher }, network);
}

export function claimRequest(network: ChannelNetwork, amount: bigint) {
  const id = channelId(config);
  const voucher = signVoucher(sessionKey, id, amount);
  const authorization = signClaim(claimKey, { channelId: id, amount });
  return asked({ type: 'claim', channelConfig: config, amount, voucher, authorization }, network);
}

export function refundRequest(network: ChannelNetwork) {
  return asked({ type: 'refund', channelConfig: config }, network);
}

/** The code of a refusal without what all codes begin with, or what came instead. */
export async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return isX402Error(error) ? error.code.replace('invalid_batch_settlement_avm_', '') : error;
  }
}

/** The message of a refusal. */
export async function messageOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return isX402Error(error) ? error.message : error;
  }
}
