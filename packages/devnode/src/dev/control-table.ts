import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { decodeJson } from '../codec/decode.ts';
import { document } from '../codec/document.ts';
import { uint32, uint64 } from '../codec/integer.ts';
import { byteString } from '../codec/text.ts';
import { refused } from '../errors.ts';
import { jsonAnswer, writtenJsonAnswer } from '../rest/answer.ts';
import {
  pathAddress,
  pathText,
  pathUint64,
  queryBoolean,
  queryUint64,
  required,
  queryText,
  type Parameter,
} from '../rest/parameter.ts';
import { parseTransactionId } from '../transaction/transaction-id.ts';
import { deal, fund, setAuthAddress, setFrozen } from './change-account.ts';
import {
  argument,
  member,
  memberBesideValues,
  nothing,
  type AnyControl,
  type Argument,
  type Control,
  type LocalNode,
  type Output,
} from './control.ts';
import type { DevControls } from './dev-controls.ts';
import type { Fault } from './faults.ts';
import { devState, items, type DevState } from './schema.ts';

/** The most rounds that one request may make. */
const MAX_MINED_ROUNDS = 10_000n;
/** The largest state file that a request may send, in bytes. */
export const MAX_STATE_BYTES = 200_000_000;
const STATE_TYPE = 'application/octet-stream';

const same = <T>(value: T): T => value;
const anAddress = pathAddress();
/** An account in the path: text that has been checked to be an address. */
const accountInPath: Parameter<string> = {
  ...anAddress,
  bind: (name, values) => formatAddress(anAddress.bind(name, values)),
};

const account = argument('address', accountInPath, same);
const assetId = argument('asset-id', required(queryUint64('An asset id.')), same);
const amount = (description: string): Argument<bigint> => argument('amount', required(queryUint64(description)), same);
const id = (description: string): Argument<number> => argument('id', pathUint64(description), Number);

const rounds = argument('rounds', queryUint64(`How many blocks, 1 (default) to ${MAX_MINED_ROUNDS}.`), (given = 1n) => {
  if (given >= 1n && given <= MAX_MINED_ROUNDS) return Number(given);
  throw refused(`rounds must be 1 to ${MAX_MINED_ROUNDS}, not ${given}`);
});

const fault: Argument<Fault> = {
  parameters: {
    route: required(queryText('Method and path as in the table of routes, e.g. `GET /v2/blocks/{round}`.')),
    'delay-ms': queryUint64('Delay before the request is handled, ms.'),
    status: queryUint64('400 to 599: the answer, and nothing is done.'),
    lose: queryText('`request`: the connection is cut before anything is done; `answer`: after it.'),
    times: queryUint64('How many requests fail; default all.'),
  },
  read: ({ route, 'delay-ms': delayMs, status, lose, times }) => ({
    route: String(route),
    ...(delayMs !== undefined && { delayMs: Number(delayMs) }),
    ...(status !== undefined && { status: Number(status) }),
    // `Faults` refuses any other text.
    ...(lose !== undefined && { lose: lose as NonNullable<Fault['lose']> }),
    ...(times !== undefined && { times: Number(times) }),
  }),
  write: ({ route, delayMs, status, lose, times }) => ({ route, 'delay-ms': delayMs, status, lose, times }),
};

const stateFile: Argument<Uint8Array> = {
  parameters: {},
  body: { type: STATE_TYPE, maxBytes: MAX_STATE_BYTES },
  read: (_, body) => body,
  write: same,
};

const lastRound = member('last-round', uint64);
const newId = member('id', uint32);

const nextTimestamp: Output<number> = {
  answer: (timestamp) => jsonAnswer({ timestamp }),
  read: (body) => Number(member('timestamp', uint64).read(body)),
};

const wholeState: Output<DevState> = {
  answer: (state) => writtenJsonAnswer(document(devState, state).toJson()),
  read: (body) => decodeJson(devState, body),
};

const fileBytes: Output<Uint8Array> = {
  answer: (body) => ({ status: 200, contentType: STATE_TYPE, body }),
  read: same,
};

/** All controls but `listen`, which continues after its answer: `event-stream.ts`. */
type TableControls = Omit<DevControls, 'listen'>;

export type ControlName = keyof TableControls;

/** The developer controls. Both ways to call them, in process and over HTTP, are made from this table. */
export const CONTROLS: {
  readonly [Name in keyof TableControls]: Control<
    Parameters<TableControls[Name]>,
    Awaited<ReturnType<TableControls[Name]>>
  >;
} = {
  state: {
    method: 'GET',
    path: '/dev/state',
    summary: 'Everything that controls have set and changed.',
    takes: [],
    gives: wholeState,
    run: ({ controls }) => controls.state(),
  },
  reset: {
    path: '/dev/reset',
    summary: 'Puts everything back as it was when the node started.',
    takes: [],
    gives: nothing,
    run: ({ controls }) => controls.reset(),
  },
  snapshot: {
    path: '/dev/snapshot',
    summary: 'Takes a snapshot of chain, pool and clock.',
    takes: [],
    gives: newId,
    run: ({ controls }) => controls.takeSnapshot().id,
  },
  revert: {
    path: '/dev/revert/:id',
    summary: 'Returns to a snapshot and keeps it; later ones are dropped.',
    takes: [id('The snapshot’s id.')],
    gives: lastRound,
    run({ controls, queries }, snapshot) {
      controls.revert(snapshot);
      return queries.latestRound;
    },
  },
  mine: {
    path: '/dev/mine',
    summary: 'Makes blocks. The first takes what is in the pool; the others are empty.',
    takes: [rounds],
    gives: lastRound,
    async run({ controls, queries }, count) {
      await controls.mine(count);
      return queries.latestRound;
    },
  },
  pause: {
    path: '/dev/pause',
    summary: 'Pauses blocks: what is submitted waits in the pool, and only `/dev/mine` makes blocks.',
    takes: [],
    gives: nothing,
    run: ({ blocks }) => blocks.pause(),
  },
  resume: {
    path: '/dev/resume',
    summary: 'Ends a pause. With instant blocks, what waits gets its block at once.',
    takes: [],
    gives: nothing,
    run: ({ blocks }) => blocks.resume(),
  },
  setTime: {
    path: '/dev/time/set/:timestamp',
    summary: 'Sets the next block’s timestamp; the node’s clock continues from it.',
    takes: [argument('timestamp', pathUint64('Seconds since 1970.'), Number)],
    gives: nothing,
    run: ({ controls }, timestamp) => controls.setTime(seconds(timestamp)),
  },
  increaseTime: {
    path: '/dev/time/increase/:seconds',
    summary: 'Moves the next block’s timestamp and the node’s clock forward; answers that timestamp.',
    takes: [argument('seconds', pathUint64('Seconds.'), Number)],
    gives: nextTimestamp,
    run: ({ controls }, by) => Number(controls.increaseTime(seconds(by))),
  },
  drop: {
    path: '/dev/drop/:txid',
    summary: 'Removes a transaction and its group from the pool, as if they had never been submitted.',
    takes: [argument('txid', pathText('A transaction id, 52 characters.'), same)],
    gives: member('dropped', items(byteString)),
    run: ({ controls }, txId) => controls.drop(parseTransactionId(txId)),
  },
  fund: {
    path: '/dev/fund/:address',
    summary: 'Creates µAlgo in an account.',
    takes: [account, amount('µAlgo.')],
    gives: memberBesideValues('amount', uint64),
    run({ controls, queries }, address, microAlgos) {
      const owner = parseAddress(address);
      controls.change({ control: 'fund', address, amount: microAlgos }, (state) => fund(state, owner, microAlgos));
      return queries.account(owner).account.microAlgos;
    },
  },
  deal: {
    path: '/dev/deal/:address',
    summary: 'Creates units of any asset in an account, and opts it in if necessary.',
    takes: [account, assetId, amount('Units.')],
    gives: memberBesideValues('amount', uint64),
    run({ controls, queries }, address, asset, units) {
      const owner = parseAddress(address);
      controls.change({ control: 'deal', address, assetId: asset, amount: units }, (state, parameters) =>
        deal(state, { address: owner, assetId: asset, amount: units, parameters }),
      );
      return queries.holding(owner, asset)?.amount ?? 0n;
    },
  },
  setFrozen: {
    path: '/dev/freeze/:address',
    summary: 'Freezes an account’s holding of an asset, or thaws it.',
    takes: [account, assetId, argument('frozen', queryBoolean('False: thaws. Default true.'), (given = true) => given)],
    gives: nothing,
    run({ controls }, address, asset, frozen) {
      const owner = parseAddress(address);
      controls.change({ control: 'freeze', address, assetId: asset, frozen }, (state) =>
        setFrozen(state, { address: owner, assetId: asset, frozen }),
      );
    },
  },
  setAuthAddress: {
    path: '/dev/auth-address/:address/:by',
    summary: 'Sets the key that signs for an account. With its own address, it signs for itself again.',
    takes: [account, argument('by', accountInPath, same)],
    gives: nothing,
    run({ controls }, address, authAddress) {
      const [owner, by] = [parseAddress(address), parseAddress(authAddress)];
      controls.change({ control: 'auth-address', address, authAddress }, (state) => setAuthAddress(state, owner, by));
    },
  },
  impersonate: {
    path: '/dev/impersonate/:address',
    summary: 'Accepts an account’s transactions without its signature.',
    takes: [account],
    gives: nothing,
    run: ({ impersonation }, address) => impersonation.start(parseAddress(address)),
  },
  stopImpersonating: {
    method: 'DELETE',
    path: '/dev/impersonate/:address',
    summary: 'Requires an account’s signature again.',
    takes: [account],
    gives: nothing,
    run: ({ impersonation }, address) => impersonation.stop(parseAddress(address)),
  },
  addFault: {
    path: '/dev/faults',
    summary: 'Makes requests to a route fail: late, answered with a status, or cut off.',
    takes: [fault],
    gives: newId,
    run: ({ faults }, given) => faults.add(given),
  },
  removeFault: {
    method: 'DELETE',
    path: '/dev/faults/:id',
    summary: 'Removes a fault.',
    takes: [id('The fault’s id.')],
    gives: nothing,
    run: ({ faults }, number) => faults.remove(number),
  },
  dump: {
    method: 'GET',
    path: '/dev/dump',
    summary: 'All of the node’s state as a file: accounts, assets, blocks, clock.',
    takes: [],
    gives: fileBytes,
    run: ({ controls }) => controls.dump(),
  },
  load: {
    path: '/dev/load',
    summary: 'Continues from a state file of the same genesis.',
    takes: [stateFile],
    gives: lastRound,
    run({ controls, queries }, state) {
      controls.load(state);
      return queries.latestRound;
    },
  },
};

/** All controls but `listen`; `call` does the work of each. */
export function controlsBy(
  call: (control: AnyControl, args: readonly unknown[]) => Promise<unknown>,
): Omit<DevControls, 'listen'> {
  const calls = Object.entries<AnyControl>(CONTROLS).map(([name, control]) => [
    name,
    (...args: readonly unknown[]) => call(control, args),
  ]);
  // The table's type guarantees this for each control.
  return Object.fromEntries(calls) as Omit<DevControls, 'listen'>;
}

/** The controls of a node in this process. */
export function localControls(node: LocalNode): DevControls {
  return {
    ...controlsBy(async (control, args) => {
      const result = await control.run(node, ...args);
      await node.kept();
      return result;
    }),
    async listen(listener) {
      node.blocks.checkOpen();
      return node.events.listen(listener);
    },
  };
}

function seconds(value: number): bigint {
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw refused(`seconds must be a whole number, not ${value}`);
}
