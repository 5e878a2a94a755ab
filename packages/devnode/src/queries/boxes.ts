import type { Chain } from '../ledger/chain.ts';
import { applicationAndName } from '../ledger/state/tables.ts';

/** The boxes of applications as of some round. Names have one character per byte. */
export interface Boxes {
  /** Ascending by bytes. */
  names(applicationId: bigint): readonly string[];
  content(applicationId: bigint, name: string): Uint8Array | undefined;
}

/** The boxes as they were after a round; undefined when its state is not kept. */
export function boxesAfter(round: bigint, chain: Chain): Boxes | undefined {
  const state = chain.stateAt(round);
  if (state === undefined) return undefined;
  const content = (id: bigint, name: string): Uint8Array | undefined => state.box(id, name);
  return {
    content,
    names(applicationId) {
      const names = new Set(chain.state.boxNamesOf(applicationId));
      for (const name of namesChangedSince(round, applicationId, chain)) names.add(name);
      return [...names].filter((name) => content(applicationId, name) !== undefined).sort();
    },
  };
}

function* namesChangedSince(round: bigint, applicationId: bigint, chain: Chain): Generator<string> {
  for (let later = round + 1n; later <= chain.latest.round; later++) {
    for (const [key] of chain.changesOf(later)?.changed.tables.boxes.entries() ?? []) {
      const changed = applicationAndName(key);
      if (changed.applicationId === applicationId) yield changed.name;
    }
  }
}
