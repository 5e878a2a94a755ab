import { commitmentsOf } from '../block/merkle-array.ts';
import { blockHeader, type BlockHeader } from '../codec/schema/block.ts';
import {
  changedAccount,
  stateDelta,
  type ChangedAccount,
  type ChangedApplicationRecord,
  type ChangedAsset,
  type StateDeltaRecord,
} from '../codec/schema/state-delta.ts';
import { document, type Document } from '../codec/document.ts';
import { DevnodeError, notFound } from '../errors.ts';
import { type AddressKey, addressOfKey } from '../transaction/address-key.ts';
import { EMPTY_ACCOUNT } from '../ledger/account.ts';
import type { Chain } from '../ledger/chain.ts';
import { type State, StateDelta } from '../ledger/state/state.ts';
import type { RoundChanges } from '../ledger/state/state-history.ts';
import type { Changes, TableView } from '../ledger/state/table.ts';
import { applicationAndName, type Created, holdingKey, type HoldingKey, ownerAndId } from '../ledger/state/tables.ts';
import { bareAccountFields } from './account-record.ts';

/**
 * The changes of a round.
 * @throws DevnodeError `not_found` (404) if the round is not kept
 */
export function stateDeltaDocument(round: bigint, chain: Chain): Document {
  const [oldest, latest] = [chain.oldestState, chain.latest.round];
  const problem = (reason: string): DevnodeError => notFound(`failed retrieving State Delta: round ${round} ${reason}`);
  const database = `dbRound ${oldest}, deltas ${latest - oldest}`;
  // algod's database is this far behind while it keeps all deltas, as in an archival node of this size.
  if (round > latest) throw problem(`too high: dbRound 0, deltas ${latest}`);
  const [changes, after] = [chain.changesOf(round), chain.stateAt(round)];
  if (changes === undefined || after === undefined)
    throw problem(`not in deltas: ${database}, offset ${round - oldest}`);
  return document(stateDelta, deltaRecord(changes, after));
}

/** The changes of a round, as algod writes them; `after` is the state after that round. */
export function deltaRecord(changes: RoundChanges, after: State): StateDeltaRecord {
  const { changed, header, previousTimestamp, evaluationTimestamp, totals, transactions, leases } = changes;
  const before = new StateDelta(after);
  before.merge(changes.before);
  const sides: Sides = { before, after };
  const { tables } = changed;
  const heldAssets = touched(tables.holdings, tables.assets, before.tables.assets);
  const usedApplications = touched(tables.localStates, tables.applications, before.tables.applications);
  const assets = heldAssets.map((owned) => assetChange(owned, sides));
  const applications = usedApplications.map((owned) => applicationChange(owned, sides));
  const creatables = [
    ...creations(tables.assets.entries(), before.tables.assets, 0n),
    ...creations(tables.applications.entries(), before.tables.applications, 1n),
  ];
  return stateDelta.of({
    accounts: {
      accounts: accountChanges(changed),
      applications: applications.length === 0 ? undefined : applications,
      assets: assets.length === 0 ? undefined : assets,
    },
    creatables: creatables.length === 0 ? undefined : new Map(creatables),
    boxes: boxChanges(changed, before),
    header: evaluatedHeader(header, evaluationTimestamp),
    previousTimestamp,
    totals: { ...stateDelta.zero.totals, ...totals },
    transactions: transactions.map(({ txId, lastValid }, index) => [txId, { index: BigInt(index), lastValid }]),
    leases: leases.size === 0 ? undefined : [...leases].map(([lease, expires]) => ({ key: leaseKey(lease), expires })),
  });
}

function accountChanges(delta: StateDelta): ChangedAccount[] {
  return Array.from(delta.tables.accounts.entries(), ([key, account = EMPTY_ACCOUNT]) =>
    changedAccount.of({ ...bareAccountFields(account), address: addressOfKey(key) }),
  );
}

/** The states before and after a round. */
interface Sides {
  readonly before: State;
  readonly after: State;
}

/** An account, and an asset or an application in which it has a part. */
interface Owned {
  readonly owner: AddressKey;
  readonly id: bigint;
}

/** The parts that changed, and those of creators whose asset or application changed. */
function touched(
  parts: Changes<HoldingKey, unknown>,
  created: Changes<bigint, Created<unknown>>,
  createdBefore: TableView<bigint, Created<unknown>>,
): Owned[] {
  const found = new Map<HoldingKey, Owned>();
  for (const [key] of parts.entries()) found.set(key, ownerAndId(key));
  for (const [id, thing] of created.entries()) {
    const owner = (thing ?? createdBefore.get(id))?.creator;
    if (owner !== undefined) found.set(holdingKey(owner, id), { owner, id });
  }
  return [...found.values()];
}

function assetChange({ owner, id: assetId }: Owned, { before, after }: Sides): ChangedAsset {
  const [holding, asset] = [after.holding(owner, assetId), after.asset(assetId)];
  return {
    address: addressOfKey(owner),
    assetId,
    holding: { deleted: holding === undefined, holding },
    params: partOfCreator(owner, before.asset(assetId), asset),
  };
}

function applicationChange({ owner, id }: Owned, { before, after }: Sides): ChangedApplicationRecord {
  const local = after.localState(owner, id);
  return {
    address: addressOfKey(owner),
    applicationId: id,
    params: partOfCreator(owner, before.application(id), after.application(id)),
    state: { deleted: local === undefined && before.localState(owner, id) !== undefined, local },
  };
}

/** The parameters of what an account created; deleted if it was destroyed. */
function partOfCreator<Params>(owner: AddressKey, before?: Created<Params>, after?: Created<Params>) {
  return {
    deleted: after === undefined && before?.creator === owner,
    params: after?.creator === owner ? after.params : undefined,
  };
}

/** The assets or applications that were created or destroyed. */
function creations<T extends Created<unknown>>(
  changed: Iterable<[bigint, T | undefined]>,
  before: TableView<bigint, T>,
  kind: bigint,
) {
  return [...changed].flatMap(([id, after]) => {
    const earlier = before.get(id);
    if ((after === undefined) === (earlier === undefined)) return [];
    const creator = addressOfKey((after ?? earlier)?.creator ?? '');
    return [[id, { created: after !== undefined, creator, kind, deltas: 0n }] as const];
  });
}

/** The boxes that were written, by their keys in algod's store. */
function boxChanges(delta: StateDelta, before: State): StateDeltaRecord['boxes'] {
  const changed = [...delta.tables.boxes.entries()];
  if (changed.length === 0) return undefined;
  return new Map(changed.map(([key, content]) => [storeKey(key), { content, before: before.tables.boxes.get(key) }]));
}

function storeKey(key: string): string {
  const { applicationId, name } = applicationAndName(key);
  const id = Buffer.alloc(8);
  id.writeBigUInt64BE(applicationId);
  return `bx:${id.toString('latin1')}${name}`;
}

/** algod keeps the header from the start of the block's evaluation, before its transactions add to it. */
function evaluatedHeader(header: BlockHeader, timestamp: bigint): BlockHeader {
  const { seed, feesCollected, transactionCounter, load, stateProofTracking } = blockHeader.zero;
  const { root, root256, root512 } = commitmentsOf([]);
  const roots = { transactionsRoot: root, transactionsRoot256: root256, transactionsRoot512: root512 };
  return { ...header, ...roots, timestamp, seed, feesCollected, transactionCounter, load, stateProofTracking };
}

function leaseKey(lease: string) {
  const bytes = addressOfKey(lease);
  return { sender: bytes.subarray(0, 32), lease: bytes.subarray(32) };
}
