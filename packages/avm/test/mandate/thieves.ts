import { isAlgorandError } from '@avm402/algorand/errors';
import type { Account } from '@avm402/algorand/account';
import type { AssetTransferTransaction, Transaction } from '@avm402/algorand/transaction';
import { expect } from 'vitest';
import { type MandateConfig, mandateProgram } from '../../src/mandate/mandate-config.ts';
import { addToMandateGroup, endMandateGroup, openMandateGroup } from '../../src/mandate/mandate-groups.ts';
import { ASSET_ACCOUNT_MINIMUM, type GroupTerms } from '../../src/signing/pooled-group.ts';
import { windowEnd } from '../../src/mandate/mandate-window.ts';
import { receiverTree } from '../../src/mandate/receiver-tree.ts';
import { uint64Bytes } from '../../src/signing/program-template.ts';
import {
  type ChainStage,
  closer,
  FEE,
  type Ruled,
  ruledBy,
  seller,
  stranger,
  USDC,
} from '../batch-settlement/stage.ts';
import { agent, ending, feeBy, mandateOn, owner, signedBy } from './stage.ts';

const FUNDS = 30_000n;
const FEE_RESERVE = 20_000n;
const STEPS = 14;
/** Sequences that share a chain's time. */
const AT_ONCE = 25;

/** What came of many sequences. */
export interface Thefts {
  /** Groups that the chain took, and those that it refused. */
  accepted: number;
  refused: number;
  /** Atomic units that left mandates, and the most that left one in a window, as a share of `slots × cap`. */
  stolen: bigint;
  fullWindows: number;
  /** Groups that somebody kept and sent later, or a second time, and that the chain took. */
  late: number;
}

/** One mandate, what its owner has given, and what has left it without the owner. */
interface Scene {
  readonly config: MandateConfig;
  readonly ruled: Ruled;
  readonly path: Uint8Array | undefined;
  readonly lost: Map<bigint, bigint>;
  /** What sellers and facilitators have been shown: signed groups that anybody may send, at any time. */
  readonly shown: Step[];
  /** What the owner has signed to add. */
  readonly added: Step[];
  funded: bigint;
  hasEnded: boolean;
}

/**
 * Attacks mandates in random sequences: a thief with the agent's key, strangers, hostile facilitators that lead its
 * groups, hostile sellers that keep payments or send them again, and an owner who adds and ends. After each step it reads
 * the chain.
 */
export async function attackMandates(
  chain: ChainStage,
  { sequences, seed }: { readonly sequences: number; readonly seed: number },
): Promise<Thefts> {
  const thefts: Thefts = { accepted: 0, refused: 0, stolen: 0n, fullWindows: 0, late: 0 };
  const random = numbers(seed);
  for (let left = sequences; left > 0; left -= AT_ONCE)
    await attackSome(chain, Math.min(left, AT_ONCE), random, thefts);
  return thefts;
}

/** Some sequences, a step of each in turn: they share the blocks, which cost more than the attacks. */
async function attackSome(chain: ChainStage, count: number, random: Random, thefts: Thefts): Promise<void> {
  const scenes: Scene[] = [];
  for (let opened = 0; opened < count; opened += 1) scenes.push(await open(chain, random));
  for (let step = 0; step < STEPS; step += 1) {
    for (const scene of scenes) await oneStep(chain, scene, random, thefts);
    const time = random(100);
    if (time < 60) await chain.node.mine(1 + random(time < 6 ? 520 : 40));
  }
  for (const scene of scenes) {
    if (!scene.hasEnded) await endByOwner(chain, scene);
    countLosses(scene, thefts);
  }
}

function countLosses({ lost, funded, config: { slots, cap } }: Scene, thefts: Thefts): void {
  const loss = [...lost.values()].reduce((sum, one) => sum + one, 0n);
  thefts.stolen += loss;
  expect(loss).toBeLessThanOrEqual(funded);
  for (const one of lost.values()) {
    expect(one).toBeLessThanOrEqual(slots * cap);
    if (one === slots * cap) thefts.fullWindows += 1;
  }
}

export type Random = (below: number) => number;

/** A small generator: the same seed gives the same sequences (mulberry32). */
export function numbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

async function open(chain: ChainStage, random: Random): Promise<Scene> {
  const tree = receiverTree([seller.address, closer.address]);
  const isOpen = random(2) === 0;
  const lastRound = chain.node.latestRound;
  const config = await mandateOn(chain, {
    cap: BigInt(1 + random(5)) * 1_000n,
    slots: BigInt(1 + random(3)),
    expiry: lastRound + BigInt(60 + random(900)),
    salt: Uint8Array.from([...uint64Bytes(BigInt(random(2 ** 31))), ...uint64Bytes(BigInt(random(2 ** 31)))]),
    ...(!isOpen && { receivers: tree.root }),
  });
  const ruled = ruledBy(mandateProgram(config));
  const funds = { amount: FUNDS, feeReserve: FEE_RESERVE };
  const path = isOpen ? undefined : tree.pathTo(seller.address);
  const scene = { config, ruled, path, lost: new Map(), shown: [], added: [], funded: FUNDS, hasEnded: false };
  expect(await send(chain, openMandateGroup(config, funds, termsOf(chain)), scene)).toBe(true);
  return scene;
}

/** Whether the chain took the group. */
async function send(chain: ChainStage, group: readonly Transaction[], scene: Scene, by?: Account): Promise<boolean> {
  const { ruled, path } = scene;
  try {
    await chain.algod.sendRawTransaction(Buffer.concat(signedBy(group, { ruled, path, ...(by && { agent: by }) })));
    return true;
  } catch (error) {
    if (isAlgorandError(error) && error.reason !== undefined) return false;
    throw error;
  }
}

async function oneStep(chain: ChainStage, scene: Scene, random: Random, thefts: Thefts): Promise<void> {
  const kind = random(100);
  if (kind < 8 && !scene.hasEnded) {
    const group = addToMandateGroup(scene.config, { amount: 5_000n }, termsOf(chain));
    scene.added.push({ group });
    // Now and then its outcome is not known, and somebody sends it later.
    if (random(2) === 0) await attackBy(chain, scene, { group }, thefts);
    return;
  }
  if (kind < 13 && !scene.hasEnded) return endByOwner(chain, scene);
  const kept = random(scene.hasEnded ? 2 : 8) === 0 ? scene.added : scene.shown;
  const late = random(4) === 0 ? kept[random(kept.length)] : undefined;
  if (late) {
    if (await attackBy(chain, scene, late, thefts)) thefts.late += 1;
    return;
  }
  const attack = await attackOf(chain, scene, random, chain.node.latestRound);
  scene.shown.push(attack);
  // Now and then a hostile seller keeps the payment for later.
  if (random(8) > 0) await attackBy(chain, scene, attack, thefts);
}

/** Whether the chain took it. */
async function attackBy(chain: ChainStage, scene: Scene, { group, by }: Step, thefts: Thefts): Promise<boolean> {
  const before = holding(chain, scene);
  const lastRound = chain.node.latestRound;
  const isTaken = await send(chain, group, scene, by);
  if (isTaken) thefts.accepted += 1;
  else thefts.refused += 1;
  judge(chain, scene, before, isTaken ? lastRound + 1n : lastRound);
  return isTaken;
}

interface Holding {
  /** Whether the account holds the asset, if only none of it. */
  readonly isOpen: boolean;
  readonly units: bigint;
  readonly microAlgos: bigint;
  /** What the owner holds, in units and µAlgo. */
  readonly owned: bigint;
  readonly ownedMicroAlgos: bigint;
}

function holding(chain: ChainStage, { ruled }: Scene): Holding {
  const { microAlgos, assets } = chain.node.balance(ruled.address);
  const owned = chain.node.balance(owner.address);
  return {
    isOpen: assets.has(USDC),
    units: assets.get(USDC) ?? 0n,
    microAlgos,
    owned: owned.assets.get(USDC) ?? 0n,
    ownedMicroAlgos: owned.microAlgos,
  };
}

/** What may leave a mandate in one step of somebody who is not the owner. */
function judge(chain: ChainStage, scene: Scene, before: Holding, round: bigint): void {
  const { config, lost } = scene;
  const after = holding(chain, scene);
  const loss = before.units - after.units;
  // After the end, what was added before may come once anybody can open it, and goes back to the owner.
  if (scene.hasEnded) expect(loss).toBe(after.owned - before.owned);
  // What strangers return to the owner is not lost, nor is the fee of what the owner adds.
  const returned = after.ownedMicroAlgos - before.ownedMicroAlgos;
  if (loss >= 0n) expect(before.microAlgos - after.microAlgos - returned).toBeLessThanOrEqual(FEE);
  if (!after.isOpen) {
    if (!scene.hasEnded) expect(round).toBeGreaterThan(config.expiry);
    scene.hasEnded = true;
  }
  if (loss <= 0n) {
    scene.funded -= loss;
    return;
  }
  if (round > config.expiry) {
    // A stranger has ended it.
    expect([after.units, after.owned - before.owned]).toEqual([0n, loss]);
    scene.hasEnded = true;
    return;
  }
  expect(loss).toBeLessThanOrEqual(config.cap);
  const window = windowEnd(round);
  lost.set(window, (lost.get(window) ?? 0n) + loss);
}

function termsOf({ node }: ChainStage): GroupTerms {
  const { latestRound: firstValid, genesisId } = node;
  return { firstValid, lastValid: firstValid + 1000n, genesisId, fee: FEE };
}

/** After the owner's one transaction everything is the owner's. */
async function endByOwner(chain: ChainStage, scene: Scene): Promise<void> {
  const held = holding(chain, scene).units;
  const before = holding(chain, scene).owned;
  expect(await send(chain, endMandateGroup(scene.config, termsOf(chain)), scene)).toBe(true);
  expect(holding(chain, scene).owned - before).toBe(held);
  expect(chain.node.balance(scene.ruled.address)).toEqual({ microAlgos: 0n, assets: new Map() });
  scene.hasEnded = true;
}

interface Step {
  readonly group: readonly Transaction[];
  readonly by?: Account;
}

async function attackOf(chain: ChainStage, scene: Scene, random: Random, lastRound: bigint): Promise<Step> {
  const one = <T>(...choices: readonly [T, ...T[]]): T => choices[random(choices.length)] ?? choices[0];
  const leads = one(stranger, closer);
  const kind = scene.hasEnded ? 5 + random(5) : random(10);
  if (kind < 7) {
    const transfer = payment(scene, random, lastRound);
    const by = random(15) === 0 ? stranger : agent;
    return { group: random(2) === 0 && transfer.fee > 0n ? [transfer] : [feeBy(leads, transfer), transfer], by };
  }
  const plain = payment(scene, random, lastRound);
  if (kind < 8) {
    const { lease, ...change } = { ...plain, fee: 0n, receiver: scene.ruled.address, amount: BigInt(random(2)) };
    const optIn: Transaction = { ...change, ...(lease && random(8) === 0 && { lease }) };
    const fund = {
      ...feeBy(leads, optIn),
      fee: 0n,
      receiver: optIn.sender,
      amount: ASSET_ACCOUNT_MINIMUM,
    } as Transaction;
    return { group: [feeBy(leads, optIn), ...(scene.hasEnded ? [fund] : []), optIn] };
  }
  const { lease: _, ...end } = await ending(chain, scene.config, scene.ruled, leads);
  const target = one(owner.address, owner.address, stranger.address);
  if (kind < 9) {
    const close: Transaction = { ...end, assetCloseTo: target, amount: BigInt(random(2)) };
    return { group: [feeBy(leads, close), close] };
  }
  const { firstValid, lastValid, genesisHash, sender } = end;
  const header = { firstValid, lastValid, genesisHash, sender };
  const back: Transaction = { ...header, type: 'pay', fee: 0n, receiver: target, amount: 0n, closeRemainderTo: target };
  const close: Transaction = { ...end, assetCloseTo: owner.address, receiver: owner.address };
  return { group: one([feeBy(leads, back), back], [feeBy(leads, close), close, back]) };
}

/** A payment of the thief's choice: mostly one that the mandate allows, often with one field that it does not. */
function payment({ config, ruled }: Scene, random: Random, lastRound: bigint): AssetTransferTransaction {
  const end = windowEnd(lastRound + 1n) + (random(4) === 0 ? 500n : 0n);
  const lease = new Uint8Array(32);
  lease[31] = 1 + random(Number(config.slots)) + (random(8) === 0 ? 1 : 0) - (random(12) === 0 ? 1 : 0);
  if (random(20) === 0) lease[0] = 1;
  const transfer: AssetTransferTransaction = {
    type: 'axfer',
    sender: ruled.address,
    receiver: seller.address,
    assetId: USDC,
    amount: random(12) === 0 ? config.cap + 1n : config.cap,
    fee: random(3) === 0 ? FEE : 0n,
    firstValid: lastRound,
    lastValid: random(12) === 0 ? end - 1n : end,
    genesisHash: config.genesisHash,
    ...(lease.some((byte) => byte !== 0) && { lease }),
    note: Uint8Array.of(random(256), random(256), random(256)),
  };
  return { ...transfer, ...changeOf(random(40)) };
}

function changeOf(kind: number): Partial<AssetTransferTransaction> {
  if (kind === 0) return { rekeyTo: stranger.address };
  if (kind === 1) return { assetCloseTo: stranger.address };
  if (kind === 2) return { assetSender: owner.address };
  if (kind === 3) return { fee: 5_000n };
  return kind < 6 ? { receiver: stranger.address } : {};
}
