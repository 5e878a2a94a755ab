import { X402Error } from '@avm402/core/errors';
import { askNode } from '../../node/ask-node.ts';
import { chainRefusal } from '../../node/chain-refusal.ts';
import type { SponsorshipTerms } from '../../sponsorship/sponsor.ts';
import { type SponsoredGroup, unsigned, verifyGroup } from '../../sponsorship/sponsored-group.ts';
import type { DepositRequest } from './channel-request.ts';

/**
 * Verifies that the chain accepts the deposit now and that policy lends for it.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function verifyDeposit(request: DepositRequest): Promise<SponsoredGroup> {
  const { network, deposit } = request;
  const terms = sponsorshipOf(request);
  const params = await askNode(() => network.algod.params());
  const lastRound = latest(network.lastRound(), params.lastRound);
  checkExpiry(request, lastRound);
  checkWindow(request, lastRound);
  checkAge(request, lastRound);
  await (deposit.kind === 'open' ? checkUnused(request) : checkOpen(request));
  const group = await verifyGroup({ ...proposed(request, terms), fees: async () => params }, network);
  if ('refusal' in group) {
    throw chainRefusal(group.refusal, network.sponsor.accounts, 'batch_settlement');
  }
  checkWindow(request, group.round);
  return group;
}

/** The indexes of the members that the facilitator signs: the fee payer's, then the funder's. */
const OURS = { open: [0, 1], 'top-up': [0] } as const;

function proposed({ deposit, network, config }: DepositRequest, terms: SponsorshipTerms) {
  const ours: readonly number[] = OURS[deposit.kind];
  return {
    scheme: 'batch_settlement' as const,
    members: deposit.members.map(({ bytes, signed: { txn } }, index) =>
      ours.includes(index) ? unsigned(txn) : { txn, bytes },
    ),
    ours,
    parties: { terms, payTo: config.receiver, payer: config.payer, advance: true },
    mostFee: network.sponsor.maxFee,
  };
}

/** The terms for a channel: its seller must be sponsored, and an opening deposit large enough. */
function sponsorshipOf({ network, config, deposit, claimAuthorizer }: DepositRequest): SponsorshipTerms {
  const { sponsor, policy } = network;
  // Only a stranger would close such a channel, and it would take up the seller's quota until its expiry.
  if (deposit.kind === 'open' && network.claimKeysOf(config.receiver)?.has(claimAuthorizer) === false)
    throw notLent(`${claimAuthorizer} is not a claim key of ${config.receiver} here`);
  const isEnough = deposit.kind === 'top-up' || deposit.amount >= policy.minDeposit;
  if (!isEnough) throw notLent(`a channel is opened with a deposit of ${policy.minDeposit} or more`);
  const asset = String(config.token);
  if (sponsor.payTo.has(config.receiver) && sponsor.assets.has(asset)) return 'listed';
  if (sponsor.anyone && policy.assets?.has(asset) !== false) return 'anyone';
  throw notLent(`channels to ${config.receiver} in asset ${asset} are not opened here`);
}

/** Counts from the chain's current round, because the payer alone chooses where its window begins. */
function checkExpiry({ network, config: { expiry }, deposit }: DepositRequest, lastRound: bigint): void {
  const { minRounds, maxRounds } = network.policy;
  const rounds = expiry - lastRound;
  if (rounds <= 0n || (deposit.kind === 'open' && rounds < minRounds)) {
    throw new X402Error('invalid_batch_settlement_avm_channel_expiring', {
      message: `the channel expires in ${rounds} rounds; it needs ${minRounds} when it opens`,
    });
  }
  if (rounds > maxRounds) throw notLent(`the channel expires in ${rounds} rounds; at most ${maxRounds} are lent`);
}

function checkWindow({ deposit: { firstValid, lastValid } }: DepositRequest, lastRound: bigint): void {
  if (lastValid > lastRound && firstValid <= lastRound + 1n) return;
  throw new X402Error(
    lastValid > lastRound ? 'invalid_batch_settlement_avm_not_yet_valid' : 'invalid_batch_settlement_avm_expired',
    {
      message: `the deposit is valid in rounds ${firstValid} to ${lastValid}, the chain is at ${lastRound}`,
    },
  );
}

/** Refuses a deposit signed long ago: it is not the one that its payer waits for now. */
function checkAge({ deposit: { firstValid }, network: { policy } }: DepositRequest, lastRound: bigint): void {
  if (lastRound - firstValid <= policy.maxAge) return;
  throw new X402Error('invalid_batch_settlement_avm_deposit_group', {
    message: `the deposit's window began ${lastRound - firstValid} rounds ago, ${policy.maxAge} are the most`,
  });
}

function latest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/**
 * Checks that a salt is used once: the old vouchers of a closed channel are valid again as soon as its payer opens it
 * again. A node can't tell a closed account from one that never existed, but the recorded openings can.
 */
async function checkUnused({ network, channelId, config }: DepositRequest): Promise<void> {
  const holdsAlgo = async (): Promise<boolean> => (await askNode(() => network.algod.account(channelId))).amount > 0n;
  if ((await network.isUsed(channelId)) || (await holdsAlgo()))
    throw new X402Error('invalid_batch_settlement_avm_channel_used');
  if (!(await network.hasPlaceFor(config))) throw notLent('as many channels are open as the ALGO is lent for');
}

async function checkOpen({ network, channelId, config, claimAuthorizer }: DepositRequest): Promise<void> {
  const known = await network.known(channelId);
  if (known === undefined || known.claimAuthorizer !== claimAuthorizer) {
    throw new X402Error('invalid_batch_settlement_avm_channel_not_found', {
      message: `no channel ${channelId} to ${config.receiver} was opened here`,
    });
  }
  if (!known.isOpen) throw new X402Error('invalid_batch_settlement_avm_channel_closed');
}

function notLent(message: string): X402Error {
  return new X402Error('invalid_batch_settlement_avm_sponsorship', { message });
}
