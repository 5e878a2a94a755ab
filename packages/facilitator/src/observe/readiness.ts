import type { Network } from '@avm402/core/network';
import type { Chain } from '../chain/chain.ts';
import type { OpenSettlementCounts } from '../settlement/open-settlements.ts';
import { type FeePayers, FEW_PAYMENTS, type SponsorBalance } from '../sponsor/fee-payers.ts';

/** The answer of `GET /ready`. */
export interface Readiness {
  /** `degraded`: everything works, but somebody should look; `not_ready`: payments can't be settled. */
  readonly status: 'ready' | 'degraded' | 'not_ready';
  /** Why the status is not `ready`. */
  readonly problems: readonly ReadinessProblem[];
  readonly networks: readonly NetworkReadiness[];
  readonly store: { readonly writable: boolean };
  readonly settlements: OpenSettlementCounts;
}

export interface ReadinessProblem {
  readonly code: ReadinessProblemCode;
  /** Absent if the problem is not about a network. */
  readonly network?: Network;
}

export type ReadinessProblemCode = keyof typeof CONSEQUENCES;

/** One network's nodes and sponsor. */
export interface NetworkReadiness {
  /** CAIP-2, short form, of the genesis with which every connected node was compared. */
  readonly network: Network;
  /** The highest round that any node has shown. */
  readonly round: number;
  /** Seconds since that round was first seen. */
  readonly secondsSinceRound: number;
  /** `behind`: connected, and more than five rounds behind the best one. */
  readonly nodes: { readonly total: number; readonly connected: number; readonly behind: number };
  /** The accounts that pay fees; empty if nobody is sponsored. */
  readonly sponsors: readonly SponsorReadiness[];
}

/** An account that pays fees; it has no balance until a node has told it. */
interface SponsorReadiness {
  readonly address: string;
  /** Whether offers name it now. */
  readonly offered: boolean;
  readonly microAlgos?: string;
  readonly paymentsLeft?: number;
}

const CONSEQUENCES = {
  store_not_writable: 'not_ready',
  no_node: 'not_ready',
  nodes_missing: 'degraded',
  nodes_behind: 'degraded',
  rounds_late: 'degraded',
  rounds_stopped: 'not_ready',
  sponsor_low: 'degraded',
  sponsor_empty: 'not_ready',
  pending_old: 'degraded',
} as const satisfies Readonly<Record<string, Readiness['status']>>;

/** The codes that `problems` may hold. */
export const PROBLEM_CODES = Object.keys(CONSEQUENCES) as ReadinessProblemCode[];

/** Rounds take 2.8 seconds. A development node makes none while nobody sends anything. */
const LATE_SECONDS = 30;
const STOPPED_SECONDS = 120;
const OLD_PENDING_SECONDS = 60;

/** A network and its fee payers, which are absent if nobody is sponsored there. */
export interface ServedChain {
  readonly chain: Chain;
  readonly feePayers?: FeePayers;
}

/** The readiness of a facilitator, from the facts about its parts. */
export function readinessOf(facts: {
  readonly chains: readonly ServedChain[];
  readonly storeIsWritable: boolean;
  readonly settlements: OpenSettlementCounts;
  /** Milliseconds since 1970. */
  readonly now: number;
}): Readiness {
  const { chains, storeIsWritable, settlements, now } = facts;
  const states = chains.map((served) => ({ chain: served.chain, state: networkReadiness(served, now) }));
  const problems: ReadinessProblem[] = [
    ...(storeIsWritable ? [] : [{ code: 'store_not_writable' } as const]),
    ...states.flatMap(({ chain, state }) => networkProblems(state, chain)),
    ...(settlements.oldestPendingSeconds >= OLD_PENDING_SECONDS ? [{ code: 'pending_old' } as const] : []),
  ];
  const networks = states.map(({ state }) => state);
  return { status: worstOf(problems), problems, networks, store: { writable: storeIsWritable }, settlements };
}

function networkReadiness({ chain, feePayers }: ServedChain, now: number): NetworkReadiness {
  const { network, pool } = chain;
  const connected = pool.nodes.filter((node) => node.connected);
  const behind = connected.filter((node) => pool.isBehind(node)).length;
  return {
    network,
    round: Number(pool.lastRound),
    secondsSinceRound: Math.max(0, Math.floor((now - pool.lastRoundSeenAt) / 1000)),
    nodes: { total: pool.nodes.length, connected: connected.length, behind },
    sponsors: (feePayers?.balances ?? []).map((balance) => sponsorOf(balance, feePayers?.offered)),
  };
}

function sponsorOf({ address, funds }: SponsorBalance, offeredAddress: string | undefined): SponsorReadiness {
  const offered = address === offeredAddress;
  if (funds === undefined) return { address, offered };
  return { address, offered, microAlgos: String(funds.microAlgos), paymentsLeft: Number(funds.paymentsLeft) };
}

function networkProblems(state: NetworkReadiness, { development }: Chain): ReadinessProblem[] {
  const { network, nodes, secondsSinceRound, sponsors } = state;
  const codes = [
    nodeProblem(nodes),
    development ? undefined : roundProblem(secondsSinceRound),
    sponsorProblem(sponsors),
  ];
  return codes.flatMap((code) => (code === undefined ? [] : [{ code, network }]));
}

function nodeProblem({ total, connected, behind }: NetworkReadiness['nodes']): ReadinessProblemCode | undefined {
  if (connected === 0) return 'no_node';
  if (connected < total) return 'nodes_missing';
  return behind > 0 ? 'nodes_behind' : undefined;
}

function roundProblem(seconds: number): ReadinessProblemCode | undefined {
  if (seconds >= STOPPED_SECONDS) return 'rounds_stopped';
  return seconds >= LATE_SECONDS ? 'rounds_late' : undefined;
}

/** Payments are settled as long as one of them can pay. */
function sponsorProblem(sponsors: readonly SponsorReadiness[]): ReadinessProblemCode | undefined {
  const left = sponsors.flatMap(({ paymentsLeft }) => (paymentsLeft === undefined ? [] : [paymentsLeft]));
  if (left.length > 0 && left.length === sponsors.length && left.every((one) => one === 0)) return 'sponsor_empty';
  return left.some((one) => one < FEW_PAYMENTS) ? 'sponsor_low' : undefined;
}

function worstOf(problems: readonly ReadinessProblem[]): Readiness['status'] {
  const consequences = problems.map(({ code }) => CONSEQUENCES[code]);
  if (consequences.includes('not_ready')) return 'not_ready';
  return consequences.length > 0 ? 'degraded' : 'ready';
}
