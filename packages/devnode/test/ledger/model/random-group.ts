// Groups of transactions chosen at random from what the model's world has.
import { transaction as transactionSchema, type Transaction } from '../../../src/codec/schema/transaction.ts';
import { assetParams } from '../../../src/codec/schema/transaction.ts';
import { sameBytes } from '../../../src/codec/bytes.ts';
import { addressKey, addressOfKey } from '../../../src/transaction/address-key.ts';
import type { SentTransaction } from './group.ts';
import type { InnerField, Operand, Plan, Step } from './plan.ts';
import type { Random } from './random.ts';
import { boxName, methodNumber, randomPlan, VERSIONS, type Places } from './random-plan.ts';
import { addressOf, textOf, usageOf } from './run.ts';
import type { World } from './world.ts';

const MAX_REFERENCES = 8;
const PAGE = 2048;
const NOBODY = new Uint8Array(32);

type Fields = Partial<Transaction>;
type Programs = Pick<Transaction, 'approvalProgram' | 'clearStateProgram'>;
/** What every transaction of a chain has. */
type Present = Pick<Transaction, 'genesisHash' | 'lastValid'>;

/** Makes the groups of one world. It also makes the programs, which the model must know. */
export class GroupMaker {
  readonly plans = new Map<string, Plan>();
  readonly #random: Random;
  readonly #people: readonly Uint8Array[];
  readonly #leaves: (readonly [Plan, Plan])[] = [];
  readonly #made: { readonly version: number; readonly fields: Programs }[] = [];
  #notes = 0;

  constructor(random: Random, people: readonly Uint8Array[]) {
    this.#random = random;
    this.#people = people;
    const places = { addresses: people, applications: [], assets: [], leaves: [] };
    for (const version of VERSIONS) {
      this.#leaves.push([this.#plan(version, places), this.#plan(version, places, 'clear')]);
    }
  }

  /** A group; some pay too little, most a little more than they need. */
  group(world: World, present: Present): SentTransaction[] {
    const random = this.#random;
    const size = random.of([1, 1, 1, 2, 2, 3, 4, random.chance(20) ? 16 : 2]);
    const places = this.#places(world);
    const group = Array.from({ length: size }, () => this.#transaction(world, places, present));
    if (size < 16 && random.chance(50)) group.unshift(this.#funding(world, present));
    const usage = group.reduce((sum, transaction) => sum + usageOf(transaction), 0n);
    const rest =
      (usage + 999n) / 1000n + random.of([0n, 0n, 1000n, 2500n, 3000n, 20_000n, 40_000n, random.chance(10) ? -1n : 5n]);
    const payer = random.below(group.length);
    return group.map((transaction, index) => {
      const sender = addressKey(transaction.sender);
      const auth = world.accounts.get(sender)?.auth ?? sender;
      return {
        transaction: { ...transaction, fee: index === payer ? rest : 0n },
        signer: random.chance(99) ? auth : addressKey(random.of(this.#people)),
      };
    });
  }

  /** Applications can do little without money. */
  #funding({ applications }: World, present: Present): Transaction {
    const [random, ids] = [this.#random, [...applications.keys()]];
    const receiver = ids.length === 0 ? NOBODY : addressOfKey(addressOf(random.of(ids)));
    const note = Buffer.from(String(this.#notes++));
    const sender = this.#people[0] ?? NOBODY;
    return transactionSchema.of({ ...present, type: 'pay', note, sender, receiver, amount: 3_000_000n });
  }

  #places(world: World): Places {
    const applications = [...world.applications.keys()];
    const accounts = applications.map((id) => addressOfKey(addressOf(id)));
    return {
      addresses: [...this.#people, ...this.#people, ...accounts],
      applications,
      assets: [...world.assets.keys()],
      leaves: this.#leaves,
    };
  }

  #plan(version: number, places: Places, kind: 'approval' | 'clear' = 'approval'): Plan {
    const plan = randomPlan(this.#random, version, places, kind);
    this.plans.set(textOf(plan.program), plan);
    return plan;
  }

  #transaction(world: World, places: Places, present: Present): Transaction {
    const random = this.#random;
    const make = random.of(world.applications.size < 4 ? EARLY : LATE);
    const note = Buffer.from(String(this.#notes++).padEnd(random.chance(3) ? 1025 + random.below(2000) : 1));
    const sender = random.of(random.chance(95) ? this.#people.slice(0, -1) : this.#people);
    const rekeyTo = random.chance(1) ? { rekeyTo: random.of(places.addresses) } : {};
    const fields = this.#fields(make, world, places);
    // Nobody can close an account to itself; such a payment would not reach the ledger.
    const isToItself = fields.closeRemainderTo !== undefined && sameBytes(fields.closeRemainderTo, sender);
    const whole = { ...present, note, sender, ...rekeyTo, ...fields };
    return transactionSchema.of(isToItself ? { ...whole, closeRemainderTo: NOBODY } : whole);
  }

  #fields(make: Kind, world: World, places: Places): Fields {
    if (make === 'pay') return payment(this.#random, places);
    if (make === 'asset') return assetTransaction(this.#random, world, places);
    if (make === 'create') return this.#creation(world, places);
    return make === 'update' ? this.#update(world, places) : this.#call(world, places);
  }

  /** Programs of a version; often those of an earlier call, because assembling takes longer than all the rest. */
  #programs(version: number, places: Places): Programs {
    const made = this.#made.filter((programs) => programs.version === version);
    if (made.length > 2 && this.#random.chance(70)) return this.#random.of(made).fields;
    const approvalProgram = this.#plan(version, places).program;
    const clearStateProgram = this.#plan(version, places, 'clear').program;
    const fields = { approvalProgram, clearStateProgram };
    this.#made.push({ version, fields });
    return fields;
  }

  #creation(world: World, places: Places): Fields {
    const random = this.#random;
    const programs = this.#programs(random.of(VERSIONS), places);
    return {
      type: 'appl',
      ...programs,
      onCompletion: random.of([0n, 0n, 0n, 1n, 1n, 2n, 4n, 5n]),
      extraProgramPages: pagesFor(programs) + Number(random.chance(10)),
      globalStateSchema: { uints: BigInt(random.below(4)), byteSlices: BigInt(random.below(3)) },
      localStateSchema: { uints: BigInt(random.below(3)), byteSlices: BigInt(random.below(2)) },
      ...this.#references(places, methodNumber(random), textOf(programs.approvalProgram), world),
    };
  }

  #update(world: World, places: Places): Fields {
    const random = this.#random;
    const applicationId = random.of(places.applications);
    const programs = this.#programs(random.of([11, 13]), places);
    const sizes = {
      extraProgramPages: Math.max(1, pagesFor(programs)),
      globalStateSchema: { uints: BigInt(random.below(4)), byteSlices: BigInt(random.below(3)) },
    };
    const known = { type: 'appl', applicationId, onCompletion: 4n, ...programs, ...(random.chance(50) && sizes) };
    return {
      ...known,
      ...this.#references(places, methodNumber(random), world.applications.get(applicationId)?.approval ?? '', world),
    };
  }

  #call(world: World, places: Places): Fields {
    const random = this.#random;
    const onCompletion = random.of([0n, 0n, 0n, 0n, 0n, 0n, 1n, 1n, 1n, 2n, 3n, 3n, random.chance(30) ? 5n : 0n]);
    const locals = [...world.locals.values()];
    // Mostly somebody ends a local state that is there.
    const local = onCompletion > 1n && locals.length > 0 && random.chance(80) ? random.of(locals) : undefined;
    const applicationId = local?.application ?? (random.chance(2) ? 999_999n : random.of(places.applications));
    const sender = local && { sender: addressOfKey(local.owner) };
    const rejectVersion = random.chance(4) ? { rejectVersion: BigInt(1 + random.below(2)) } : {};
    const references = this.#references(
      places,
      methodNumber(random),
      world.applications.get(applicationId)?.approval ?? '',
      world,
    );
    return { type: 'appl', applicationId, onCompletion, ...sender, ...rejectVersion, ...references };
  }

  /** What a method names as constants, and the methods that it calls. */
  #usedBy(method: Uint8Array, approval: string, world: World, depth = 0): readonly Operand[] {
    const plan = this.plans.get(approval);
    const steps = plan?.methods[Number(Buffer.from(method).readBigUInt64BE())]?.steps ?? [];
    const calls = depth > 8 ? [] : steps.flatMap((step) => ('submit' in step ? step.submit : [])).map(calledBy);
    const below = calls.flatMap((call) => {
      const called = call && world.applications.get(call[1])?.approval;
      return call === undefined || called === undefined ? [] : this.#usedBy(call[0], called, world, depth + 1);
    });
    // The boxes of another application would need its place in the list.
    return [...steps.flatMap((step) => operandsOf(step)), ...below.filter((operand) => !('box' in operand))];
  }

  /** References to what the method uses, and a few more; in lists or in an access list. */
  #references(places: Places, method: Uint8Array, approval: string, world: World): Fields {
    const random = this.#random;
    const used = this.#usedBy(method, approval, world).filter(() => random.chance(97));
    const accounts = [
      ...used.flatMap((one) => ('address' in one ? [one.address] : [])),
      ...random.upTo(1, () => random.of(places.addresses)),
    ];
    const applications = used.flatMap((one) => ('application' in one ? [one.application] : []));
    const assets = used.flatMap((one) => ('asset' in one ? [one.asset] : []));
    // Places in the call's lists that its program looks at have something in them.
    if (used.some((one) => 'place' in one && one.place > 0)) accounts.push(random.of(places.addresses));
    for (const one of used) {
      if (!('listed' in one)) continue;
      if (one.listed === 'Accounts') accounts.push(random.of(places.addresses));
      if (one.listed === 'Applications') applications.push(...places.applications.slice(-one.index));
      if (one.listed === 'Assets') assets.push(...places.assets.slice(0, one.index + 1));
    }
    const boxes = used.flatMap((one) => ('box' in one ? [{ index: 0n, name: one.box }] : []));
    const blank = (): Uint8Array | undefined => (random.chance(80) ? undefined : new Uint8Array(0));
    const blanks = random.upTo(2, () => ({ index: 0n, name: random.chance(70) ? blank() : boxName(random) }));
    const lists = {
      accounts: unique(accounts),
      foreignApps: unique(applications),
      foreignAssets: unique(assets),
      boxes: [...boxes, ...blanks],
    };
    const applicationArgs = [method];
    if (random.chance(15)) return { applicationArgs, access: accessOf(random, lists) };
    return { applicationArgs, ...limited(lists) };
  }
}

/** The method and the application of an inner call that names both. */
function calledBy(fields: readonly InnerField[]): readonly [Uint8Array, bigint] | undefined {
  const value = (name: string): Operand | undefined => fields.find(({ field }) => field === name)?.value;
  const [called, method] = [value('ApplicationID'), value('ApplicationArgs')];
  if (called === undefined || method === undefined || !('application' in called) || !('bytes' in method))
    return undefined;
  return [method.bytes, called.application];
}

type Kind = 'pay' | 'asset' | 'create' | 'update' | 'call';
const EARLY: readonly Kind[] = ['pay', 'asset', 'create', 'create', 'create'];
const LATE: readonly Kind[] = [
  'pay',
  'pay',
  'asset',
  'create',
  'update',
  ...Array.from({ length: 9 }, () => 'call' as const),
];

/** What a step names as constants; of programs that it creates, too. */
function operandsOf(step: Step): readonly Operand[] {
  return 'opcode' in step ? step.operands : step.submit.flatMap((fields) => fields.map(({ value }) => value));
}

function unique<Item extends Uint8Array | bigint>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [typeof item === 'bigint' ? item : textOf(item), item])).values()];
}

interface Lists {
  readonly accounts: readonly Uint8Array[];
  readonly foreignApps: readonly bigint[];
  readonly foreignAssets: readonly bigint[];
  readonly boxes: readonly Access[number]['box'][];
}

function limited(lists: Lists): Fields {
  let room = MAX_REFERENCES;
  const take = <Item>(list: readonly Item[]): readonly Item[] | undefined => {
    const taken = list.slice(0, room);
    room -= taken.length;
    return taken.length === 0 ? undefined : taken;
  };
  const boxes = take(lists.boxes.slice(0, 4));
  return {
    foreignApps: take(lists.foreignApps),
    foreignAssets: take(lists.foreignAssets),
    accounts: take(lists.accounts),
    boxes,
  };
}

type Access = NonNullable<Transaction['access']>;

const NOTHING: Access[number] = {
  address: new Uint8Array(32),
  asset: 0n,
  application: 0n,
  holding: { address: 0n, asset: 0n },
  locals: { address: 0n, application: 0n },
  box: { index: 0n, name: undefined },
};

/** The same as an access list, with a holding and a local state for some of what it names. */
function accessOf(random: Random, { accounts, foreignApps, foreignAssets, boxes }: Lists): Access {
  const entries = [
    ...accounts.slice(0, 3).map((address) => ({ ...NOTHING, address })),
    ...foreignAssets.slice(0, 2).map((asset) => ({ ...NOTHING, asset })),
    ...foreignApps.slice(0, 3).map((application) => ({ ...NOTHING, application })),
    ...boxes.slice(0, 3).map((box) => ({ ...NOTHING, box })),
  ];
  const places = (isOne: (entry: Access[number]) => boolean): bigint[] =>
    entries.flatMap((entry, index) => (isOne(entry) ? [BigInt(index + 1)] : []));
  const owners = [0n, ...places(({ address }) => !isZero(address))];
  const [assets, applications] = [places(({ asset }) => asset > 0n), places(({ application }) => application > 0n)];
  const pairs = [
    ...assets.map((asset) => ({ ...NOTHING, holding: { address: random.of(owners), asset } })),
    ...applications.map((application) => ({ ...NOTHING, locals: { address: random.of(owners), application } })),
  ];
  const all = [...entries, ...pairs.filter(() => random.chance(70))];
  return all.length === 0 ? [NOTHING] : all;
}

const isZero = (address: Uint8Array): boolean => address.every((byte) => byte === 0);

function pagesFor({ approvalProgram, clearStateProgram }: Programs): number {
  return Math.ceil((approvalProgram.length + clearStateProgram.length) / PAGE) - 1;
}

function payment(random: Random, { addresses }: Places): Fields {
  const receiver = random.of(addresses);
  const amount = BigInt(random.of([0, 1, 100_000, 500_000, 5_000_000, 5_000_000, 20_000_000]));
  return { type: 'pay', receiver, amount, ...(random.chance(1) && { closeRemainderTo: random.of(addresses) }) };
}

function assetTransaction(random: Random, world: World, { addresses, assets }: Places): Fields {
  if (assets.length < 2 || random.chance(10)) {
    const role = (): Uint8Array => random.of(addresses);
    const roles = { manager: role(), freeze: role(), clawback: role() };
    return { type: 'acfg', assetParams: assetParams.of({ total: 100n, defaultFrozen: random.chance(20), ...roles }) };
  }
  const asset = random.of(assets);
  const params = world.assets.get(asset)?.params;
  /** The one who may, or somebody. */
  const role = (name: 'manager' | 'freeze' | 'clawback'): Fields =>
    params !== undefined && random.chance(80) ? { sender: params[name] } : {};
  if (random.chance(5)) return { type: 'acfg', configAsset: asset, ...role('manager') };
  if (random.chance(10)) {
    const freeze = {
      freezeAsset: asset,
      freezeAccount: holderOf(random, world, asset),
      assetFrozen: random.chance(40),
    };
    return { type: 'afrz', ...freeze, ...role('freeze') };
  }
  const base = { type: 'axfer', transferAsset: asset };
  if (random.chance(40)) {
    const sender = random.of(addresses);
    return { ...base, sender, assetReceiver: sender };
  }
  const moved = { ...base, assetReceiver: holderOf(random, world, asset), assetAmount: BigInt(random.below(4)) };
  if (random.chance(10)) return { ...moved, assetSender: holderOf(random, world, asset), ...role('clawback') };
  const closes = random.chance(10) && { assetCloseTo: holderOf(random, world, asset) };
  return { ...moved, sender: holderOf(random, world, asset), ...closes };
}

/** Somebody who has the asset. */
function holderOf(random: Random, world: World, asset: bigint): Uint8Array {
  const holders = [...world.holdings.values()].filter((holding) => holding.asset === asset);
  return holders.length === 0 ? NOBODY : addressOfKey(random.of(holders).owner);
}
