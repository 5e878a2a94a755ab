// Random groups, each evaluated by the node's ledger and by the model: same verdict, same effects, same state.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { signedTransaction } from '../../../src/codec/schema/signed-transaction.ts';
import { addressKey, addressOfKey } from '../../../src/transaction/address-key.ts';
import type { BlockBuilder } from '../../../src/ledger/block-builder.ts';
import type { Chain } from '../../../src/ledger/chain.ts';
import { groupMember, type GroupMember } from '../../../src/transaction/member.ts';
import { addressOf, ALICE, BOB, CAROL, testAccount, testChain } from '../../chain-fixture.ts';
import { entriesOf, naiveEffects, plainEffects, rowsOf } from './compare.ts';
import { evaluate, type NaiveOutcome, type Rules, type SentTransaction } from './group.ts';
import { randomFrom, type Random } from './random.ts';
import { GroupMaker } from './random-group.ts';
import { copyOf, sorted, type World } from './world.ts';

/** Groups of one world; then a new one begins, so that worlds stay small. */
const GROUPS_PER_WORLD = 50;
const PEOPLE = [ALICE, BOB, CAROL, testAccount(4)].map(addressOf);

/** How often everything happened. */
export type Counts = Map<string, number>;

/** Runs groups of the node and of the model until there were enough, and counts what happened. */
export function compareGroups(groups: number, firstSeed = 1): Counts {
  const counts: Counts = new Map();
  const count = (event: string): void => void counts.set(event, (counts.get(event) ?? 0) + 1);
  for (let seed = firstSeed, left = groups; left > 0; seed++, left -= GROUPS_PER_WORLD) {
    new ComparedWorld(seed, count).run(Math.min(left, GROUPS_PER_WORLD));
  }
  return counts;
}

class ComparedWorld {
  readonly #seed: number;
  readonly #random: Random;
  readonly #chain: Chain = testChain();
  readonly #maker: GroupMaker;
  readonly #rules: Rules;
  #world: World;
  #block: BlockBuilder;
  #time = 0n;

  constructor(seed: number, count: Rules['count']) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
    this.#maker = new GroupMaker(this.#random, PEOPLE);
    const { feeSink, exempt } = this.#chain.context;
    this.#rules = { feeSink, exempt, plans: this.#maker.plans, count };
    this.#world = worldOf(this.#chain);
    this.#block = this.#chain.startBlock();
  }

  run(groups: number): void {
    for (let number = 0; number < groups; number++) {
      const where = `world ${this.#seed}, group ${number}`;
      this.#group(where);
      if (this.#random.chance(60)) this.#append(where);
      if (this.#random.chance(6)) this.#takeBack(where);
    }
  }

  #group(where: string): void {
    const { genesisHash } = this.#chain.context;
    const sent = this.#maker.group(this.#world, { genesisHash, lastValid: 1000n });
    const outcome = evaluate(this.#world, sent, this.#rules);
    const before = this.#block.transactions.length;
    const addition = this.#block.add(sent.map(memberOf));
    const refused = typeof addition === 'object' ? addition : undefined;
    this.#checkVerdict(where, outcome, refused);
    if (outcome.refused !== undefined) return;
    const effects = this.#block.transactions.slice(before).map((placed) => plainEffects(placed.effects));
    same(effects, outcome.members.map(naiveEffects), `${where}: effects`);
    same(this.#block.counter, outcome.world.counter, `${where}: transactions`);
    this.#world = outcome.world;
    this.#rules.count('group passed');
  }

  #checkVerdict(
    where: string,
    outcome: NaiveOutcome,
    refused: { readonly member: number; readonly message: string } | undefined,
  ): void {
    if (outcome.refused === undefined) {
      same(refused, undefined, `${where}: the node refuses`);
      return;
    }
    const { member, words } = outcome.refused;
    if (refused === undefined) throw new Error(`${where}: the node accepts, the model refuses ${member}: ${words}`);
    same(refused.member, member, `${where}: member refused (${refused.message} | ${words})`);
    if (!refused.message.includes(words)) throw new Error(`${where}: "${refused.message}" has no "${words}"`);
    this.#rules.count('group refused');
    this.#rules.count(`refused: ${words.replaceAll(/\d+/g, 'n').slice(0, 40)}`);
  }

  #append(where: string): void {
    this.#time += 1n;
    this.#chain.append(this.#block, { offset: 1n, now: this.#time });
    this.#block = this.#chain.startBlock();
    const [node, model] = [rowsOf(this.#chain.state), entriesOf(this.#world)];
    same(new Map(sorted(node)), new Map(sorted(model)), `${where}: state`);
  }

  /** Makes a few groups and takes them back by the chain's mark; the model by its copy. */
  #takeBack(where: string): void {
    this.#append(where);
    const [putBack, world] = [this.#chain.mark(), copyOf(this.#world)];
    for (let number = 0; number < 3; number++) this.#group(`${where}, taken back ${number}`);
    this.#append(where);
    putBack();
    this.#world = world;
    this.#block = this.#chain.startBlock();
    this.#rules.count('groups taken back by a mark');
    this.#append(where);
  }
}

function same(actual: unknown, wanted: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual, what).toEqual(wanted);
}

/** The ledger looks at no signature, only at who is said to have signed. */
function memberOf({ transaction, signer }: SentTransaction): GroupMember {
  const authAddress = signer === addressKey(transaction.sender) ? new Uint8Array(32) : addressOfKey(signer);
  return groupMember(signedTransaction.of({ transaction, authAddress }));
}

/** The accounts of genesis. */
function worldOf({ state, latest }: Chain): World {
  const accounts: World['accounts'] = new Map();
  for (const [key, { microAlgos: balance }] of state.tables.accounts.entries()) {
    accounts.set(key, { balance, auth: undefined, uints: 0n, byteSlices: 0n, pages: 0n });
  }
  return {
    counter: latest.transactionCounter,
    accounts,
    holdings: new Map(),
    assets: new Map(),
    applications: new Map(),
    locals: new Map(),
    boxes: new Map(),
  };
}
