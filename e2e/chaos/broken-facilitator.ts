// The facilitator with one of its two guards against double answers switched off, for a test of the oracle:
// `claim`  every claim on a payment wins, and wins for its own key;
// `key`    the row that a claim meets always bears the caller's own key.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import {
  createFacilitator,
  createFacilitatorApp,
  type Facilitator,
  parseConfig,
  createPostgresSettlementStore,
  type RecordOutcome,
  type Settlement,
  type SettlementStore,
} from '@avm402/facilitator';

/** Hash of the key of the call that is being answered; absent: a call without key. */
const callersKey = new AsyncLocalStorage<{ readonly keyHash?: string }>();

function storeWhoseClaimAlwaysWins(store: SettlementStore): SettlementStore {
  const wins = new Set<string>();
  const win = (txId: string): string => `${txId} ${callersKey.getStore()?.keyHash ?? ''}`;
  return overriding(store, {
    async record(settlement, options): Promise<RecordOutcome> {
      const recorded = await store.record(settlement, options);
      if (recorded.outcome !== 'exists') return recorded;
      wins.add(win(settlement.txId));
      const mine: Settlement = { ...recorded.settlement, ...settlement, owner: options.owner };
      return { outcome: 'recorded', settlement: mine };
    },
    async find(txId): Promise<Settlement | undefined> {
      const found = await store.find(txId);
      return found && wins.has(win(txId)) ? withCallersKey(found) : found;
    },
  });
}

function storeWhoseKeyCheckAlwaysPasses(store: SettlementStore): SettlementStore {
  return overriding(store, {
    async find(txId): Promise<Settlement | undefined> {
      const found = await store.find(txId);
      return found && withCallersKey(found);
    },
    async record(settlement, options): Promise<RecordOutcome> {
      const recorded = await store.record(settlement, options);
      if (recorded.outcome !== 'exists') return recorded;
      return { outcome: 'exists', settlement: withCallersKey(recorded.settlement) };
    },
  });
}

function withCallersKey(settlement: Settlement): Settlement {
  const { keyHash: _, ...row } = settlement;
  return { ...row, ...callersKey.getStore() };
}

function overriding(store: SettlementStore, members: Partial<SettlementStore>): SettlementStore {
  return new Proxy(store, {
    get(target, name): unknown {
      const own: unknown = Reflect.get(members, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** The same facilitator; while it answers a settle call, the store knows the call's key. */
function tellingTheStoreItsCaller(facilitator: Facilitator): Facilitator {
  return new Proxy(facilitator, {
    get(target, name): unknown {
      if (name === 'settle') {
        const settle: Facilitator['settle'] = (payload, requirements, options = {}) => {
          const { idempotencyKey: key } = options;
          const caller = key === undefined ? {} : { keyHash: createHash('sha256').update(key).digest('hex') };
          return callersKey.run(caller, () => target.settle(payload, requirements, options));
        };
        return settle;
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const guards: Readonly<Record<string, (store: SettlementStore) => SettlementStore>> = {
  claim: storeWhoseClaimAlwaysWins,
  key: storeWhoseKeyCheckAlwaysPasses,
};

const breakGuard = guards[process.argv[2] ?? ''];
const config = parseConfig(process.env);
if (breakGuard === undefined || config.store.kind !== 'postgres') {
  throw new Error('usage: broken-facilitator.ts claim|key, with DATABASE_URL');
}
const facilitator = createFacilitator({
  networks: [{ algods: config.algods }],
  ...(config.sponsorship && { sponsorship: config.sponsorship }),
  store: breakGuard(createPostgresSettlementStore({ url: config.store.url })),
  settleTimeoutMs: config.settleTimeoutMs,
});
await facilitator.start();
const app = createFacilitatorApp(tellingTheStoreItsCaller(facilitator));
console.log(`avm402-facilitator listening on ${await app.listen({ host: config.host, port: config.port })}`);
process.once('SIGTERM', () => {
  void app
    .close()
    .then(() => facilitator.close())
    .then(() => process.exit(0));
});
