// The effects of transactions that call no application, by the rules of go-algorand ledger/apply.
import type { Transaction } from '../../../src/codec/schema/transaction.ts';
import { addressKey, type AddressKey } from '../../../src/transaction/address-key.ts';
import { addressOf, type GroupRun, type NaiveTransaction } from './run.ts';
import { accountOf, givenKey, holdingsOf, move, pair, refuse, type World } from './world.ts';

export function pay({ world }: GroupRun, member: NaiveTransaction): void {
  const { transaction } = member;
  const sender = addressKey(transaction.sender);
  move(world, sender, addressKey(transaction.receiver), transaction.amount);
  const closeTo = givenKey(transaction.closeRemainderTo);
  if (closeTo === undefined) return;
  const { balance } = accountOf(world, sender);
  if (balance > 0n) member.closingAmount = balance;
  move(world, sender, closeTo, balance);
  const { assets, createdAssets, optedIn, boxes, created } = holdingsOf(world, sender, addressOf);
  const outstanding = { assets, 'created assets': createdAssets, 'applications opted in': optedIn, boxes };
  for (const [what, count] of Object.entries({ ...outstanding, 'created applications': created })) {
    if (count > 0) refuse(`cannot close: ${count} outstanding ${what}`);
  }
  world.accounts.delete(sender);
}

export function configureAsset({ world }: GroupRun, member: NaiveTransaction): void {
  const { configAsset: id, assetParams: params, sender: from } = member.transaction;
  const sender = addressKey(from);
  if (id === 0n) {
    world.assets.set(world.counter, { creator: sender, params });
    world.holdings.set(pair(sender, world.counter), {
      owner: sender,
      asset: world.counter,
      amount: params.total,
      frozen: false,
    });
    member.configAsset = world.counter;
    return;
  }
  const asset = world.assets.get(id) ?? refuse(`asset ${id} does not exist or has been deleted`);
  if (givenKey(asset.params.manager) !== sender) refuse('this transaction should be issued by the manager');
  const held = world.holdings.get(pair(asset.creator, id))?.amount ?? 0n;
  if (held !== asset.params.total)
    refuse(`cannot destroy asset: creator is holding only ${held}/${asset.params.total}`);
  world.assets.delete(id);
  world.holdings.delete(pair(asset.creator, id));
}

export function freezeAsset({ world }: GroupRun, { transaction }: NaiveTransaction): void {
  const { freezeAsset: id, sender } = transaction;
  const asset = world.assets.get(id) ?? refuse(`asset ${id} does not exist or has been deleted`);
  if (givenKey(asset.params.freeze) !== addressKey(sender)) refuse('freeze not allowed');
  const holding = world.holdings.get(pair(addressKey(transaction.freezeAccount), id));
  if (holding === undefined) refuse('asset not found in account');
  else holding.frozen = transaction.assetFrozen;
}

export function transferAsset({ world }: GroupRun, member: NaiveTransaction): void {
  const { transferAsset: id, assetAmount, sender, assetSender, assetReceiver } = member.transaction;
  const [own, clawedFrom, receiver] = [addressKey(sender), givenKey(assetSender), addressKey(assetReceiver)];
  const asset = world.assets.get(id);
  if (clawedFrom !== undefined) {
    if (asset === undefined) refuse(`asset ${id} does not exist or has been deleted`);
    else if (givenKey(asset.params.clawback) !== own) refuse('clawback not allowed');
  }
  const source = clawedFrom ?? own;
  const optsIn = assetAmount === 0n && receiver === own && clawedFrom === undefined;
  if (optsIn && !world.holdings.has(pair(own, id))) {
    if (asset === undefined) return refuse(`asset ${id} does not exist or has been deleted`);
    world.holdings.set(pair(own, id), { owner: own, asset: id, amount: 0n, frozen: asset.params.defaultFrozen });
  }
  give(world, { id, from: source, to: receiver, amount: assetAmount, isForced: clawedFrom !== undefined });
  const closeTo = givenKey(member.transaction.assetCloseTo);
  if (closeTo !== undefined) closeHolding(world, member, own, closeTo);
}

interface Gift {
  readonly id: bigint;
  readonly from: AddressKey;
  readonly to: AddressKey;
  readonly amount: bigint;
  /** Whether frozen holdings do not stop it. */
  readonly isForced: boolean;
}

function give(world: World, { id, from, to, amount, isForced }: Gift): void {
  if (amount === 0n) return;
  const source = world.holdings.get(pair(from, id)) ?? refuse(`asset ${id} missing from`);
  if (source.frozen && !isForced) refuse(`asset ${id} frozen in`);
  if (source.amount < amount) refuse('underflow on subtracting');
  source.amount -= amount;
  const target = world.holdings.get(pair(to, id)) ?? refuse(`receiver error: must optin, asset ${id} missing from`);
  if (target.frozen && !isForced) refuse('asset frozen in recipient');
  target.amount += amount;
}

function closeHolding(world: World, member: NaiveTransaction, own: AddressKey, closeTo: AddressKey): void {
  const id = member.transaction.transferAsset;
  if (holdingsOf(world, own, addressOf).assets === 0) refuse('cannot close asset holding on account');
  const creator = world.assets.get(id)?.creator;
  if (creator === own) refuse('cannot close asset ID in allocating account');
  const { amount } = world.holdings.get(pair(own, id)) ?? refuse(`asset ${id} not present in account`);
  if (amount > 0n) member.assetClosingAmount = amount;
  give(world, { id, from: own, to: closeTo, amount, isForced: creator === closeTo });
  const rest = world.holdings.get(pair(own, id))?.amount ?? 0n;
  if (rest > 0n) refuse(`asset ${id} not zero (${rest}) after closing`);
  world.holdings.delete(pair(own, id));
}

/** Gives the sender another key, or its own again. */
export function rekey(world: World, { rekeyTo, sender }: Transaction): void {
  const key = givenKey(rekeyTo);
  if (key === undefined) return;
  accountOf(world, addressKey(sender)).auth = key === addressKey(sender) ? undefined : key;
}
