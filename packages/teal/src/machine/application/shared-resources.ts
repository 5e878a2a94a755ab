import type { BoxReference, ResourceReference, TransactionFields } from '../group-transaction.ts';
import { applicationAddress } from './application-address.ts';
import { byteKey, type ByteKey } from './byte-key.ts';
import type { ApplicationMember, Effects } from './effects.ts';
import { isZero, NO_BYTES } from '../stack-value.ts';

/** An account with an asset or an application as one key. */
export function pairKey(address: Uint8Array, id: bigint): string {
  return byteKey(address) + String(id);
}

/**
 * The resources that the members of a group name, which programs of version 9 and later may use in the whole group, and
 * those that the group has created. Inner transactions add only those that they create.
 */
export class SharedResources {
  readonly accounts = new Set<ByteKey>();
  readonly assets = new Set<bigint>();
  readonly applications = new Set<bigint>();
  readonly holdings = new Set<string>();
  readonly locals = new Set<string>();
  readonly createdAssets = new Set<bigint>();
  readonly createdApplications = new Set<bigint>();
  readonly #createdAccounts = new Set<ByteKey>();

  constructor(members: readonly ApplicationMember[]) {
    for (const { transaction } of members) this.#share(transaction);
  }

  noteEffects({ configAsset = 0n }: Effects): void {
    if (configAsset !== 0n) this.createdAssets.add(configAsset);
  }

  noteApplication(applicationId: bigint): void {
    this.createdApplications.add(applicationId);
    this.#createdAccounts.add(byteKey(applicationAddress(applicationId)));
  }

  /** Whether an address is the account of an application that the group created. */
  isCreatedAccount(address: Uint8Array): boolean {
    return this.#createdAccounts.size > 0 && this.#createdAccounts.has(byteKey(address));
  }

  #share(transaction: TransactionFields): void {
    this.#account(transaction.sender);
    switch (transaction.type) {
      case 'pay':
        this.#account(transaction.receiver);
        this.#accountUnlessZero(transaction.closeRemainderTo);
        break;
      case 'acfg':
        if (transaction.configAsset !== 0n) this.assets.add(transaction.configAsset);
        break;
      case 'axfer':
        this.#shareTransfer(transaction);
        break;
      case 'afrz':
        this.assets.add(transaction.freezeAsset);
        this.#holding(transaction.freezeAccount, transaction.freezeAsset);
        break;
      case 'appl':
        if (transaction.access === undefined) this.#shareLists(transaction);
        else this.#shareAccess(transaction);
        break;
      default:
    }
  }

  #shareTransfer({ transferAsset, sender, assetReceiver, assetSender, assetCloseTo }: TransactionFields): void {
    this.assets.add(transferAsset);
    this.#holding(sender, transferAsset);
    this.#holding(assetReceiver, transferAsset);
    for (const address of [assetSender, assetCloseTo]) {
      if (!isZero(address)) this.#holding(address, transferAsset);
    }
  }

  #shareLists({ sender, applicationId, accounts, foreignApps, foreignAssets }: TransactionFields): void {
    const applications = [...(applicationId === 0n ? [] : [applicationId]), ...(foreignApps ?? [])];
    const all = [sender, ...(accounts ?? []), ...applications.map(applicationAddress)];
    for (const id of applications) this.applications.add(id);
    for (const id of foreignAssets ?? []) this.assets.add(id);
    for (const address of all) {
      this.#account(address);
      for (const id of foreignAssets ?? []) this.holdings.add(pairKey(address, id));
      for (const id of applications) this.locals.add(pairKey(address, id));
    }
  }

  /** An access list shares exactly its entries, and the sender's state in the called application. */
  #shareAccess({ sender, applicationId, access = [] }: TransactionFields): void {
    if (applicationId !== 0n) {
      this.applications.add(applicationId);
      this.locals.add(pairKey(sender, applicationId));
    }
    for (const entry of access) {
      this.#accountUnlessZero(entry.address);
      if (entry.asset !== 0n) this.assets.add(entry.asset);
      if (entry.application !== 0n) this.applications.add(entry.application);
      this.#sharePair(entry, { sender, applicationId, access });
    }
  }

  #sharePair(
    { holding, locals }: ResourceReference,
    { sender, applicationId, access }: Pick<TransactionFields, 'sender' | 'applicationId' | 'access'>,
  ): void {
    const at = (index: bigint): ResourceReference | undefined => access?.[Number(index) - 1];
    const addressAt = (index: bigint): Uint8Array => at(index)?.address ?? sender;
    if (holding.asset !== 0n) this.holdings.add(pairKey(addressAt(holding.address), at(holding.asset)?.asset ?? 0n));
    if (locals.address === 0n && locals.application === 0n) return;
    const id = at(locals.application)?.application ?? applicationId;
    this.locals.add(pairKey(addressAt(locals.address), id));
  }

  #account(address: Uint8Array): void {
    this.accounts.add(byteKey(address));
  }

  #accountUnlessZero(address: Uint8Array): void {
    if (!isZero(address)) this.#account(address);
  }

  #holding(address: Uint8Array, assetId: bigint): void {
    this.#account(address);
    this.holdings.add(pairKey(address, assetId));
  }
}

/** A box that a call names. */
interface NamedBox {
  /** Undefined: the application that the call creates. */
  readonly applicationId: bigint | undefined;
  readonly name: Uint8Array;
  /** Set for an entry that names nothing and only adds to the budget. */
  readonly isBlank: boolean;
}

/** The boxes that a call names; none of a transaction of another type. */
export function boxesOf(call: TransactionFields): readonly NamedBox[] {
  const { access = [], boxes = [], foreignApps = [], applicationId } = call;
  const called = applicationId === 0n ? undefined : applicationId;
  const named = ({ index, name }: BoxReference, applicationAt: (place: number) => bigint | undefined): NamedBox => ({
    applicationId: index === 0n ? called : (applicationAt(Number(index) - 1) ?? 0n),
    name: name ?? NO_BYTES,
    isBlank: index === 0n && name === undefined,
  });
  if (access.length === 0) return boxes.map((box) => named(box, (place) => foreignApps[place]));
  return access.filter(isBoxEntry).map(({ box }) => named(box, (place) => access[place]?.application));
}

/** Whether an entry of an access list names a box or, entirely empty, only adds to the budget. */
function isBoxEntry({ address, asset, application, holding, locals }: ResourceReference): boolean {
  const ids = [asset, application, holding.address, holding.asset, locals.address, locals.application];
  return isZero(address) && ids.every((id) => id === 0n);
}
