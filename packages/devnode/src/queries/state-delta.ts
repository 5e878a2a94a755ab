import { commitmentsOf } from '../block/merkle-array.ts';
import { blockHeader, type BlockHeader } from '../codec/schema/block.ts';
import {
  changedAccount,
  changedAsset,
  stateDelta,
  type ChangedAccount,
  type ChangedApplicationRecord,
  type ChangedAsset,
  type StateDeltaRecord,
} from '../codec/schema/state-delta.ts';
import { document } from '../codec/document.ts';
import { DevnodeError, notFound } from '../errors.ts';
import { addressOfKey } from '../transaction/address-key.ts';
import { EMPTY_ACCOUNT } from '../ledger/account.ts';
import type { Chain } from '../ledger/chain.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import type { ChangedApplication, ChangedHolding, RoundChanges } from '../ledger/state/state-history.ts';
import type { TableView } from '../ledger/state/table.ts';
import { applicationAndName, type Created } from '../ledger/state/tables.ts';
import type { Document } from '../codec/document.ts';
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
  const changes = chain.changesOf(round);
  if (changes === undefined) throw problem(`not in deltas: ${database}, offset ${round - oldest}`);
  return document(stateDelta, deltaRecord(changes));
}

/** The changes of a round, as algod writes them. */
export function deltaRecord({
  changed: delta,
  before,
  holdings,
  applications: changedApplications,
  header,
  previousTimestamp,
  evaluationTimestamp,
  totals,
  transactions,
  leases,
}: RoundChanges): StateDeltaRecord {
  const [assets, applications] = [holdings.map(assetChange), changedApplications.map(applicationChange)];
  const creatables = [
    ...creations(delta.tables.assets.entries(), before.tables.assets, 0n),
    ...creations(delta.tables.applications.entries(), before.tables.applications, 1n),
  ];
  return stateDelta.of({
    accounts: {
      accounts: accountChanges(delta),
      applications: applications.length === 0 ? undefined : applications,
      assets: assets.length === 0 ? undefined : assets,
    },
    creatables: creatables.length === 0 ? undefined : new Map(creatables),
    boxes: boxChanges(delta, before),
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

function assetChange({ owner, assetId, holding, asset, assetBefore }: ChangedHolding): ChangedAsset {
  const created = asset?.creator === owner ? asset.params : undefined;
  return changedAsset.of({
    address: addressOfKey(owner),
    assetId,
    holding: { deleted: holding === undefined, holding },
    params: { deleted: asset === undefined && assetBefore?.creator === owner, params: created },
  });
}

function applicationChange(change: ChangedApplication): ChangedApplicationRecord {
  const { owner, id, local, localBefore, application, applicationBefore } = change;
  return {
    address: addressOfKey(owner),
    applicationId: id,
    params: {
      deleted: application === undefined && applicationBefore?.creator === owner,
      params: application?.creator === owner ? application.params : undefined,
    },
    state: { deleted: local === undefined && localBefore !== undefined, local },
  };
}

/** What was created or destroyed. */
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
function boxChanges(delta: StateDelta, before: StateDelta): StateDeltaRecord['boxes'] {
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
