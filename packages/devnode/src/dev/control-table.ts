import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { document } from '../codec/document.ts';
import { uint32, uint64 } from '../codec/integer.ts';
import { JsonSource } from '../codec/json-source.ts';
import { byteString } from '../codec/text.ts';
import { DevnodeError } from '../errors.ts';
import { jsonAnswer, writtenJsonAnswer } from '../rest/answer.ts';
import { pathAddress, pathText, pathUint64, queryBoolean, queryUint64, required } from '../rest/parameter.ts';
import { queryText, type Parameter } from '../rest/parameter.ts';
import { parseTransactionId } from '../transaction/transaction-id.ts';
import { deal, fund, setAuthAddress, setFrozen } from './change-account.ts';
import { argument, member, memberBesideValues, nothing, type AnyControl, type Argument } from './control.ts';
import type { Control, LocalNode, Output } from './control.ts';
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

const rounds = argument('rounds', queryUint64(`How many, 1 (default) to ${MAX_MINED_ROUNDS}.`), (given = 1n) => {
  if (given >= 1n && given <= MAX_MINED_ROUNDS) return Number(given);
  throw new DevnodeError('refused', `rounds must be 1 to ${MAX_MINED_ROUNDS}, not ${given}`);
});

const fault: Argument<Fault> = {
  parameters: {
    route: required(queryText('Method and path as in the table of routes, e.g. `GET /v2/blocks/{round}`.')),
    'delay-ms': queryUint64('Time before anything is done.'),
    status: queryUint64('400 to 599: answered in place of any work.'),
    lose: queryText('`request`: the connection is cut before any work; `answer`: after it.'),
    times: queryUint64('How many requests it strikes; default all.'),
  },
  read: ({ route, 'delay-ms': delayMs, status, lose, times }) => ({
    route: String(route),
    ...(delayMs !== undefined && { delayMs: Number(delayMs) }),
    ...(status !== undefined && { status: Number(status) }),
    ...(lose !== undefined && { lose: parseLoss(String(lose)) }),
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
  read: (body) => devState.read(new JsonSource(body), devState.zero),
};

const fileBytes: Output<Uint8Array> = {
  answer: (body) => ({ status: 200, contentType: STATE_TYPE, body }),
  read: same,
};

/** All controls but `listen`, which goes on after its answer: `event-stream.ts`. */
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
    summary: 'All that controls have set and changed.',
    takes: [],
    gives: wholeState,
    run: ({ controls }) => controls.state(),
  },
  reset: {
    method: 'POST',
    path: '/dev/reset',
    summary: 'Puts everything back as it was when the node started.',
    takes: [],
    gives: nothing,
    run: ({ controls }) => controls.reset(),
  },
  snapshot: {
    method: 'POST',
    path: '/dev/snapshot',
    summary: 'Remembers chain, pool and clock.',
    takes: [],
    gives: newId,
    run: ({ controls }) => controls.takeSnapshot().id,
  },
  revert: {
    method: 'POST',
    path: '/dev/revert/:id',
    summary: 'Returns to a snapshot, which stays; those taken after it are gone.',
    takes: [id('The snapshot’s id.')],
    gives: lastRound,
    run({ controls, queries }, snapshot) {
      controls.revert(snapshot);
      return queries.latestRound;
    },
  },
  mine: {
    method: 'POST',
    path: '/dev/mine',
    summary: 'Makes blocks of what is in the pool, the later ones empty.',
    takes: [rounds],
    gives: lastRound,
    async run({ controls, queries }, count) {
      await controls.mine(count);
      return queries.latestRound;
    },
  },
  pause: {
    method: 'POST',
    path: '/dev/pause',
    summary: 'Makes no more blocks but those of /dev/mine: what is submitted waits in the pool.',
    takes: [],
    gives: nothing,
    run: ({ blocks }) => blocks.pause(),
  },
  resume: {
    method: 'POST',
    path: '/dev/resume',
    summary: 'Ends a pause; with instant blocks, what waits gets its block at once.',
    takes: [],
    gives: nothing,
    run: ({ blocks }) => blocks.resume(),
  },
  setTime: {
    method: 'POST',
    path: '/dev/time/set/:timestamp',
    summary: 'Sets the next block’s timestamp; the node’s clock goes on from there.',
    takes: [argument('timestamp', pathUint64('Seconds since 1970.'), Number)],
    gives: nothing,
    run: ({ controls }, timestamp) => controls.setTime(seconds(timestamp)),
  },
  increaseTime: {
    method: 'POST',
    path: '/dev/time/increase/:seconds',
    summary: 'Moves the next block’s timestamp on, and the node’s clock with it; answers that timestamp.',
    takes: [argument('seconds', pathUint64('Seconds.'), Number)],
    gives: nextTimestamp,
    run: ({ controls }, by) => Number(controls.increaseTime(seconds(by))),
  },
  drop: {
    method: 'POST',
    path: '/dev/drop/:txid',
    summary: 'Takes a transaction out of the pool, and its group with it, as if it had never come.',
    takes: [argument('txid', pathText('A transaction id, 52 characters.'), same)],
    gives: member('dropped', items(byteString)),
    run: ({ controls }, txId) => controls.drop(parseTransactionId(txId)),
  },
  fund: {
    method: 'POST',
    path: '/dev/fund/:address',
    summary: 'Gives an account µAlgo out of nothing.',
    takes: [account, amount('µAlgo.')],
    gives: memberBesideValues('amount', uint64),
    run({ controls, queries }, address, microAlgos) {
      const owner = parseAddress(address);
      controls.change({ control: 'fund', address, amount: microAlgos }, (state) => fund(state, owner, microAlgos));
      return queries.account(owner).account.microAlgos;
    },
  },
  deal: {
    method: 'POST',
    path: '/dev/deal/:address',
    summary: 'Gives an account units of any asset, opting it in if need be.',
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
    method: 'POST',
    path: '/dev/freeze/:address',
    summary: 'Freezes what an account holds of an asset, or thaws it.',
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
    method: 'POST',
    path: '/dev/auth-address/:address/:by',
    summary: 'Sets the key that signs for an account; its own address makes it sign for itself.',
    takes: [account, argument('by', accountInPath, same)],
    gives: nothing,
    run({ controls }, address, authAddress) {
      const [owner, by] = [parseAddress(address), parseAddress(authAddress)];
      controls.change({ control: 'auth-address', address, authAddress }, (state) => setAuthAddress(state, owner, by));
    },
  },
  impersonate: {
    method: 'POST',
    path: '/dev/impersonate/:address',
    summary: 'Accepts what an account sends without its signature.',
    takes: [account],
    gives: nothing,
    run: ({ impersonation }, address) => impersonation.start(parseAddress(address)),
  },
  stopImpersonating: {
    method: 'DELETE',
    path: '/dev/impersonate/:address',
    summary: 'Asks for an account’s signature again.',
    takes: [account],
    gives: nothing,
    run: ({ impersonation }, address) => impersonation.stop(parseAddress(address)),
  },
  addFault: {
    method: 'POST',
    path: '/dev/faults',
    summary: 'Makes requests of a route go wrong: late, refused with a status, or with the connection cut.',
    takes: [fault],
    gives: newId,
    run: ({ faults }, given) => faults.add(given),
  },
  removeFault: {
    method: 'DELETE',
    path: '/dev/faults/:id',
    summary: 'Takes a fault away.',
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
    run: ({ dumps }) => dumps.dump(),
  },
  load: {
    method: 'POST',
    path: '/dev/load',
    summary: 'Goes on where the node was that wrote a state file of the same genesis.',
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
    ...controlsBy(async (control, args) => control.run(node, ...args)),
    listen: async (listener) => node.events.listen(listener),
  };
}

function parseLoss(text: string): NonNullable<Fault['lose']> {
  if (text === 'request' || text === 'answer') return text;
  throw new DevnodeError('refused', `lose must be request or answer, not ${text}`);
}

function seconds(value: number): bigint {
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new DevnodeError('refused', `seconds are a whole number, not ${value}`);
}
