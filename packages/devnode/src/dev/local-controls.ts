import { parseAddress } from '@avm402/algorand/address';
import { DevnodeError } from '../errors.ts';
import type { Dumps } from '../state-file/dumps.ts';
import type { Queries } from '../queries/queries.ts';
import { parseTransactionId } from '../transaction/transaction-id.ts';
import type { Controls } from './controls.ts';
import type { Events } from './events.ts';
import type { Faults } from './faults.ts';
import type { DevControls } from './dev-controls.ts';

/** What controls work on in this process. */
export interface LocalNode {
  readonly controls: Controls;
  readonly blocks: { pause(): void; resume(): void };
  readonly queries: Queries;
  readonly impersonation: { start(address: Uint8Array): void; stop(address: Uint8Array): void };
  readonly faults: Faults;
  readonly events: Events;
  readonly dumps: Dumps;
}

/** The controls of a node in this process. */
export function localControls({
  controls,
  blocks,
  queries,
  impersonation,
  faults,
  events,
  dumps,
}: LocalNode): DevControls {
  return {
    async mine(rounds) {
      await controls.mine(rounds);
      return queries.latestRound;
    },
    setTime: async (timestamp) => controls.setTime(seconds(timestamp)),
    increaseTime: async (by) => Number(controls.increaseTime(seconds(by))),
    pause: async () => blocks.pause(),
    resume: async () => blocks.resume(),
    snapshot: async () => controls.takeSnapshot().id,
    async revert(id) {
      controls.revert(id);
      return queries.latestRound;
    },
    reset: async () => controls.reset(),
    async fund(address, microAlgos) {
      await controls.fund(parseAddress(address), microAlgos);
      return queries.account(parseAddress(address)).account.microAlgos;
    },
    async deal(address, assetId, amount) {
      await controls.deal(parseAddress(address), assetId, amount);
      return queries.holding(parseAddress(address), assetId)?.amount ?? 0n;
    },
    setAuthAddress: async (address, by) => controls.setAuthAddress(parseAddress(address), parseAddress(by)),
    setFrozen: async (address, assetId, frozen) => controls.setFrozen(parseAddress(address), assetId, frozen),
    drop: async (txId) => controls.drop(parseTransactionId(txId)),
    impersonate: async (address) => impersonation.start(parseAddress(address)),
    stopImpersonating: async (address) => impersonation.stop(parseAddress(address)),
    addFault: async (fault) => faults.add(fault),
    removeFault: async (id) => faults.remove(id),
    listen: async (listener) => events.listen(listener),
    dump: async () => dumps.dump(),
    async load(state) {
      controls.load(state);
      return queries.latestRound;
    },
    state: async () => controls.state(),
  };
}

function seconds(value: number): bigint {
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new DevnodeError('refused', `seconds are a whole number, not ${value}`);
}
