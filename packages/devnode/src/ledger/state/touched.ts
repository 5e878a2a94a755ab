import type { AddressKey } from '../../transaction/address-key.ts';
import type { State, StateDelta } from './state.ts';
import type { ChangedApplication, ChangedHolding } from './state-history.ts';
import { type Created, holdingKey, ownerAndId, type HoldingKey } from './tables.ts';

/** The holdings that changed, and those of creators whose asset changed. */
export function touchedHoldings(changed: StateDelta, before: State): ChangedHolding[] {
  const { holdings, assets } = changed.tables;
  return touched(holdings.entries(), assets.entries(), (assetId) => before.asset(assetId)).map(
    ({ owner, id: assetId }) => ({
      owner,
      assetId,
      holding: changed.holding(owner, assetId),
      asset: changed.asset(assetId),
      assetBefore: before.asset(assetId),
    }),
  );
}

/** The local states that changed, and the parts of creators whose application changed. */
export function touchedApplications(changed: StateDelta, before: State): ChangedApplication[] {
  const { localStates, applications } = changed.tables;
  return touched(localStates.entries(), applications.entries(), (id) => before.application(id)).map(
    ({ owner, id }) => ({
      owner,
      id,
      local: changed.localState(owner, id),
      localBefore: before.localState(owner, id),
      application: changed.application(id),
      applicationBefore: before.application(id),
    }),
  );
}

interface Owned {
  readonly owner: AddressKey;
  readonly id: bigint;
}

function touched(
  owned: Iterable<readonly [HoldingKey, unknown]>,
  created: Iterable<readonly [bigint, Created<unknown> | undefined]>,
  before: (id: bigint) => Created<unknown> | undefined,
): Owned[] {
  const found = new Map<HoldingKey, Owned>();
  for (const [key] of owned) found.set(key, ownerAndId(key));
  for (const [id, thing] of created) {
    const owner = (thing ?? before(id))?.creator;
    if (owner !== undefined) found.set(holdingKey(owner, id), { owner, id });
  }
  return [...found.values()];
}
