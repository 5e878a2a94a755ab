import type { MandateConfig } from '@avm402/avm/mandate';
import { amountInWords } from '@avm402/client/diagnosis';
import { type MandateStatus, timeOfRound } from '@avm402/client/mandate';
import { networkOfGenesis } from '@avm402/core/network';

/** The time of a round, as far as it can be known before. */
export function timeOf(round: bigint, status: { readonly round: bigint }, now: number): string {
  const at = timeOfRound(round, status.round, now).toISOString();
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

/** An amount of a mandate's asset, for a person. */
export function inMandate({ genesisHash, asset }: MandateConfig, amount: bigint): string {
  return amountInWords({ network: networkOfGenesis(genesisHash), asset: asset.toString(), amount });
}

/** The limit that the chain enforces, as part of a sentence. */
export function limitInWords(config: MandateConfig): string {
  const cap = inMandate(config, config.cap);
  const most = inMandate(config, config.cap * config.slots);
  return `at most ${cap} a payment and ${config.slots} payments in 500 rounds (about 23 minutes), so ${most}`;
}

/** A mandate's rules, for a person. */
export function ruleLines(config: MandateConfig, receivers: readonly string[] | undefined): string[] {
  const who =
    receivers === undefined ? 'anybody' : receivers.length === 1 ? 'one receiver' : `${receivers.length} receivers`;
  return [`rules     ${limitInWords(config)}, to ${who}`, `          the owner ${config.owner} can end it at any time`];
}

/** What the chain will allow now, for a person. */
export function statusLines(config: MandateConfig, status: MandateStatus, now: number): string[] {
  const { freeSlots, slots, payable, windowEnd, expiry, payments, state } = status;
  const ends = `round ${windowEnd} (about ${timeOf(windowEnd, status, now)})`;
  const left = `at most ${inMandate(config, payable)} until ${ends}`;
  return [
    `now       ${state === 'open' ? `${freeSlots} of ${slots} slots are free: ${left}` : `nothing can be paid: it is ${state}`}`,
    ...payments.map(
      ({ amount, receiver, round }) => `          ${inMandate(config, amount)} to ${receiver} in round ${round}`,
    ),
    `expires   after round ${expiry}, about ${timeOf(expiry, status, now)}`,
  ];
}
