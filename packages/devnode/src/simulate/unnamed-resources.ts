import { formatAddress } from '@avm402/algorand/address';
import {
  applicationAddress,
  type AskingProgram,
  BYTES_PER_BOX_REFERENCE,
  LOW_ID,
  SHARED_SINCE,
  type UnnamedResources,
} from '@avm402/teal/application';
import { unnamedResources, type UnnamedResourcesRecord } from '../codec/schema/simulate.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { addressKey, addressText } from '../transaction/address-key.ts';
import type { GroupMember } from '../transaction/member.ts';
import { ResourceTracker, type ResourceKind, type ResourceLimits } from './resource-tracker.ts';

/** Holdings and local states for each call: eight applications, each with eight accounts, its own and the sender. */
const PAIRS_PER_CALL = 80;

interface Pair {
  readonly address: Uint8Array;
  readonly id: bigint;
}

/** A resource that a program asks for. */
interface Resource {
  readonly kind: ResourceKind;
  readonly has: (tracker: ResourceTracker) => boolean;
  readonly add: (tracker: ResourceTracker) => boolean;
  /** True if it was there. */
  readonly remove: (tracker: ResourceTracker) => boolean;
}

/** Allows and notes resources that a group's programs use though its transactions do not name them. */
export class NotedResources implements UnnamedResources {
  readonly #group: ResourceTracker;
  readonly #members: readonly ResourceTracker[];
  readonly #maxPairs: number;
  readonly #holdings = new Map<string, Pair>();
  readonly #locals = new Map<string, Pair>();
  readonly #boxes: { readonly application: bigint; readonly name: Uint8Array }[] = [];
  /** References to boxes, outside access lists, that the group has itself. */
  readonly #given: number;
  /** References that were added for their bytes alone. */
  #empty = 0;
  /** Bytes of the boxes that were allowed. */
  #read = 0;
  #leftToRead = 0;
  #written = 0;

  constructor(members: readonly GroupMember[], { applications, maxGroupSize }: ConsensusParameters) {
    const { maxReferences: each } = applications;
    const full: ResourceLimits = { accounts: 2 * each, assets: each, applications: each, boxes: each, total: each };
    const limits = members.map((member) => limitsOf(member, full));
    this.#members = limits.map((one) => new ResourceTracker(one));
    const missing = Array.from({ length: maxGroupSize - members.length }, () => full);
    this.#group = new ResourceTracker([...limits, ...missing].reduce(sumOf));
    const others = members.filter(({ transaction }) => transaction.type !== 'appl').length;
    this.#maxPairs = PAIRS_PER_CALL * (maxGroupSize - others);
    this.#given = members.reduce((sum, { transaction: { boxes = [] } }) => sum + boxes.length, 0);
  }

  account(program: AskingProgram, address: Uint8Array): boolean {
    return this.#has(program, {
      kind: 'accounts',
      has: (tracker) => tracker.hasAccount(address, program.version),
      add: (tracker) => tracker.addAccount(address),
      remove: (tracker) => tracker.accounts.delete(addressKey(address)),
    });
  }

  asset(program: AskingProgram, assetId: bigint): boolean {
    if (assetId <= LOW_ID) return false;
    return this.#has(program, {
      kind: 'assets',
      has: ({ assets }) => assets.has(assetId),
      add: (tracker) => tracker.addAsset(assetId),
      remove: ({ assets }) => assets.delete(assetId),
    });
  }

  application(program: AskingProgram, applicationId: bigint): boolean {
    if (applicationId <= LOW_ID) return false;
    return this.#has(program, {
      kind: 'applications',
      has: ({ applications }) => applications.has(applicationId),
      add: (tracker) => tracker.addApplication(applicationId, program.version),
      remove: ({ applications }) => applications.delete(applicationId),
    });
  }

  holding(_program: AskingProgram, address: Uint8Array, assetId: bigint): boolean {
    return this.#addPair(this.#holdings, { address, id: assetId });
  }

  /** The local state of an application's own account comes with the application. */
  locals(_program: AskingProgram, address: Uint8Array, applicationId: bigint): boolean {
    if (addressKey(applicationAddress(applicationId)) === addressKey(address)) return true;
    return this.#addPair(this.#locals, { address, id: applicationId });
  }

  /** Adds empty references where the bytes of the box need them, or takes one back if neither reads nor writes do. */
  box(
    _program: AskingProgram,
    owner: bigint,
    name: Uint8Array,
    { size, isNew }: { size: number; isNew: boolean },
  ): boolean {
    const read = this.#read + size;
    const budget = (this.#group.boxReferences + 1) * BYTES_PER_BOX_REFERENCE + this.#leftToRead;
    const isSpare = this.#empty > 0 && budget - Math.max(read, this.#written) >= BYTES_PER_BOX_REFERENCE;
    const empty = isSpare ? -1 : referencesFor(read - budget);
    if (!this.#group.setBoxReferences(this.#group.boxReferences + 1 + empty)) return false;
    this.#empty += empty;
    this.#read = read;
    if (!isNew) this.#boxes.push({ application: owner, name });
    return true;
  }

  leftToRead(bytes: number): boolean {
    this.#leftToRead = bytes;
    if (bytes > 0) return true;
    const empty = referencesFor(-bytes);
    // algod wants one more to be free.
    if (!this.#group.setBoxReferences(empty + 1)) return false;
    this.#empty = empty;
    return this.#group.setBoxReferences(empty);
  }

  written(bytes: number): void {
    const lack = referencesFor(bytes - (this.#given + this.#group.boxReferences) * BYTES_PER_BOX_REFERENCE);
    if (this.#group.setBoxReferences(this.#group.boxReferences + lack)) this.#empty += lack;
    this.#written = Math.max(this.#written, bytes);
  }

  get writeBudget(): number {
    return (this.#given + this.#group.mostBoxReferences) * BYTES_PER_BOX_REFERENCE;
  }

  /** The unnamed resources that the group used; undefined if it used none. */
  get ofGroup(): UnnamedResourcesRecord | undefined {
    const extra = this.#group.boxReferences - this.#boxes.length;
    return recordOf(this.#group, {
      assetHoldings: [...this.#holdings.values()].map(({ address, id }) => ({
        account: formatAddress(address),
        asset: id,
      })),
      applicationLocals: [...this.#locals.values()].map(({ address, id }) => ({
        account: formatAddress(address),
        application: id,
      })),
      boxes: this.#boxes,
      extraBoxReferences: BigInt(extra),
    });
  }

  /** The unnamed resources that a call used for itself alone; undefined if it used none. */
  ofMember(index: number): UnnamedResourcesRecord | undefined {
    const tracker = this.#members[index];
    return tracker && recordOf(tracker, {});
  }

  /** Programs that share see what any call has used for itself; what another one uses is no longer the group's. */
  #has({ highestVersion, topIndex }: AskingProgram, { kind, has, add, remove }: Resource): boolean {
    if (highestVersion >= SHARED_SINCE) return has(this.#group) || this.#members.some(has) || add(this.#group);
    const own = this.#members[topIndex];
    if (own === undefined) return false;
    if (has(own)) return true;
    if (!add(own)) return false;
    if (remove(this.#group)) this.#group.give(kind);
    if (this.#group.take(kind)) return true;
    remove(own);
    return false;
  }

  #addPair(pairs: Map<string, Pair>, pair: Pair): boolean {
    const key = addressKey(pair.address) + String(pair.id);
    if (pairs.has(key)) return true;
    if (this.#holdings.size + this.#locals.size >= this.#maxPairs) return false;
    pairs.set(key, pair);
    return true;
  }
}

/** The references to boxes that bytes need. */
const referencesFor = (bytes: number): number => Math.max(Math.ceil(bytes / BYTES_PER_BOX_REFERENCE), 0);

/** The number of resources that a call may name in addition to those that it names. */
function limitsOf({ transaction }: GroupMember, full: ResourceLimits): ResourceLimits {
  if (transaction.type !== 'appl') return { accounts: 0, assets: 0, applications: 0, boxes: 0, total: 0 };
  const [accounts, assets, applications, boxes] = [
    transaction.accounts?.length ?? 0,
    transaction.foreignAssets?.length ?? 0,
    transaction.foreignApps?.length ?? 0,
    transaction.boxes?.length ?? 0,
  ];
  return {
    accounts: full.accounts - accounts - applications,
    assets: full.assets - assets,
    applications: full.applications - applications,
    boxes: full.boxes - boxes,
    total: full.total - accounts - assets - applications - boxes,
  };
}

function sumOf(left: ResourceLimits, right: ResourceLimits): ResourceLimits {
  return {
    accounts: left.accounts + right.accounts,
    assets: left.assets + right.assets,
    applications: left.applications + right.applications,
    boxes: left.boxes + right.boxes,
    total: left.total + right.total,
  };
}

function recordOf(
  { accounts, assets, applications }: ResourceTracker,
  others: Partial<UnnamedResourcesRecord>,
): UnnamedResourcesRecord | undefined {
  const record = unnamedResources.of({
    accounts: Array.from(accounts, addressText),
    assets: [...assets],
    applications: [...applications],
    ...others,
  });
  return unnamedResources.isZero(record) ? undefined : record;
}
