import { APPLICATION_ACCOUNTS_SINCE, applicationAddress } from '@avm402/teal/application';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';

/** The sets in which a tracker keeps resources other than boxes. */
export type ResourceKind = 'accounts' | 'assets' | 'applications';

/** How many unnamed resources may be used. */
export interface ResourceLimits {
  accounts: number;
  assets: number;
  applications: number;
  boxes: number;
  /** All of them together. */
  total: number;
}

/** The resources that were used though nothing names them: of one call, or of the whole group. */
export class ResourceTracker {
  readonly accounts = new Set<AddressKey>();
  readonly assets = new Set<bigint>();
  readonly applications = new Set<bigint>();
  readonly limits: ResourceLimits;
  /** References to boxes, empty ones included. */
  boxReferences = 0;

  constructor(limits: ResourceLimits) {
    this.limits = { ...limits };
  }

  hasAccount(address: Uint8Array, version: number): boolean {
    if (this.accounts.has(addressKey(address))) return true;
    if (version < APPLICATION_ACCOUNTS_SINCE) return false;
    for (const id of this.applications) if (addressKey(applicationAddress(id)) === addressKey(address)) return true;
    return false;
  }

  addAccount(address: Uint8Array): boolean {
    if (this.accounts.size >= this.limits.accounts || this.isFull) return false;
    this.accounts.add(addressKey(address));
    return true;
  }

  addAsset(assetId: bigint): boolean {
    if (this.assets.size >= this.limits.assets || this.isFull) return false;
    this.assets.add(assetId);
    return true;
  }

  /** An application takes the place of its own account. */
  addApplication(applicationId: bigint, version: number): boolean {
    const account = addressKey(applicationAddress(applicationId));
    const replaces = version >= APPLICATION_ACCOUNTS_SINCE && this.accounts.has(account);
    if (this.applications.size >= this.limits.applications || (this.isFull && !replaces)) return false;
    if (replaces) this.accounts.delete(account);
    this.applications.add(applicationId);
    return true;
  }

  /** Takes a place away, because a call of the group uses it for a resource of its own; false: there is none. */
  take(kind: ResourceKind): boolean {
    if (this[kind].size >= this.limits[kind] || this.isFull) return false;
    this.limits[kind]--;
    this.limits.total--;
    if (kind === 'applications' && this.limits.accounts > 0) this.limits.accounts--;
    return true;
  }

  /** Gives up a resource with its place. */
  give(kind: ResourceKind): void {
    this.limits[kind]++;
    this.limits.total++;
  }

  /** Changes the number of references to boxes, if there is room. */
  setBoxReferences(count: number): boolean {
    if (count > this.limits.boxes || this.#named + count > this.limits.total) return false;
    this.boxReferences = count;
    return true;
  }

  /** The most references to boxes that there could be beside the other resources. */
  get mostBoxReferences(): number {
    return Math.min(this.limits.boxes, this.limits.total - this.#named);
  }

  get isFull(): boolean {
    return this.#named + this.boxReferences >= this.limits.total;
  }

  get #named(): number {
    return this.accounts.size + this.assets.size + this.applications.size;
  }
}
