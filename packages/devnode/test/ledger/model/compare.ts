// Compares what the node made of a group with what the model made of it.
import { expect } from 'vitest';
import type { ProgramEffects, StateChanges } from '@avm402/teal/application';
import { encode } from '../../../src/codec/document.ts';
import { ZERO_32 } from '../../../src/codec/bytes.ts';
import type { KeyValues, StateValue } from '../../../src/codec/schema/application.ts';
import { transaction as transactionSchema, type Transaction } from '../../../src/codec/schema/transaction.ts';
import { NO_APPLICATIONS } from '../../../src/ledger/account.ts';
import { transactionOf, type TransactionEffects } from '../../../src/ledger/effects.ts';
import type { StateStore } from '../../../src/ledger/state/state-store.ts';
import { addressKey } from '../../../src/transaction/address-key.ts';
import { isAllZero } from '../../../src/codec/bytes.ts';
import { isNobody } from './group.ts';
import { addressOf, textOf, type NaiveProgramEffects, type NaiveTransaction } from './run.ts';
import { holdingsOf, sorted, type Value, type World } from './world.ts';

const plainValue = (value: StateValue): Value => (typeof value === 'bigint' ? value : textOf(value));

const plainKeys = (keys: KeyValues): unknown[] =>
  sorted([...keys].map(([key, value]) => [key, plainValue(value)] as const));

/** Everything that the model has, in words of its own, by the place where it stands. */
export function entriesOf(world: World): Map<string, unknown> {
  const entries = new Map<string, unknown>();
  for (const [key, account] of world.accounts) {
    if (isNobody(world, key)) continue;
    entries.set(`account ${key}`, { ...account, ...holdingsOf(world, key, addressOf) });
  }
  for (const { owner, asset, amount, frozen } of world.holdings.values())
    entries.set(`holding ${owner}${asset}`, { amount, frozen });
  for (const [id, { creator }] of world.assets) entries.set(`asset ${id}`, { creator });
  for (const [id, application] of world.applications) {
    entries.set(`application ${id}`, { ...application, globals: sorted(application.globals) });
  }
  for (const { owner, application, schema, keys } of world.locals.values()) {
    entries.set(`local ${owner}${application}`, { schema, keys: sorted(keys) });
  }
  for (const { application, name, content } of world.boxes.values()) entries.set(`box ${application}:${name}`, content);
  return entries;
}

type Tables = StateStore['tables'];
type Rows = { readonly [Name in keyof Tables]: ReturnType<Tables[Name]['get']> };

function plainAccount(account: NonNullable<Rows['accounts']>): unknown {
  const {
    microAlgos: balance,
    authAddress,
    totalAssets: assets,
    totalCreatedAssets: createdAssets,
    applications,
  } = account;
  const { uints, byteSlices, extraPages, created, optedIn, boxes, boxBytes } = applications;
  const isNothing = boxes + created + optedIn + uints + byteSlices + extraPages === 0;
  if (isNothing && applications !== NO_APPLICATIONS)
    expect.unreachable('an account that has nothing of applications has the shared record');
  const auth = authAddress && addressKey(authAddress);
  const size = { uints: BigInt(uints), byteSlices: BigInt(byteSlices), pages: BigInt(extraPages) };
  return { balance, auth, ...size, assets, createdAssets, created, optedIn, boxes, boxBytes };
}

function plainApplication({ creator, params }: NonNullable<Rows['applications']>): unknown {
  return {
    creator,
    approval: textOf(params.approvalProgram),
    clear: textOf(params.clearStateProgram),
    globalSchema: params.globalSchema,
    localSchema: params.localSchema,
    pages: BigInt(params.extraPages),
    version: params.version,
    sponsor: isAllZero(params.sizeSponsor) ? undefined : addressKey(params.sizeSponsor),
    globals: plainKeys(params.globals),
  };
}

/** How a row of each table looks in the model's words. */
const ROWS: { readonly [Name in keyof Tables]: readonly [string, (row: NonNullable<Rows[Name]>) => unknown] } = {
  accounts: ['account', plainAccount],
  holdings: ['holding', (row) => ({ amount: row.amount, frozen: row.frozen })],
  assets: ['asset', ({ creator }) => ({ creator })],
  applications: ['application', plainApplication],
  localStates: ['local', ({ schema, keys }) => ({ schema, keys: plainKeys(keys) })],
  boxes: ['box', textOf],
};

/** All rows of the node's confirmed state, in the model's words. */
export function rowsOf({ tables }: StateStore): Map<string, unknown> {
  const rows = new Map<string, unknown>();
  const add = <Name extends keyof Tables>(name: Name): void => {
    const [word, plain] = ROWS[name];
    for (const [key, row] of tables[name].entries()) rows.set(`${word} ${key}`, plain(row as NonNullable<Rows[Name]>));
  };
  for (const name of Object.keys(ROWS) as (keyof Tables)[]) add(name);
  return rows;
}

/** The effects of a transaction as the node has them, in the model's words; what is nothing is left out. */
export function plainEffects(effects: TransactionEffects): unknown {
  const { applicationId, configAsset, closingAmount, assetClosingAmount, program } = effects;
  return withoutNothing({
    applicationId,
    configAsset,
    closingAmount,
    assetClosingAmount,
    program: program && plainProgram(program),
  });
}

function plainProgram({ globals, locals, sharedAccounts, logs, inner }: ProgramEffects): unknown {
  const changes = (map: StateChanges): Map<string, Value | undefined> =>
    new Map([...map].map(([key, value]) => [key, value === undefined ? undefined : plainValue(value)]));
  return plainParts({
    globals: changes(globals),
    locals: new Map([...locals].map(([place, map]) => [place, changes(map)])),
    shared: sharedAccounts.map(addressKey),
    logs: logs.map(textOf),
    inner: inner.map((member) => [encoded(transactionOf(member.transaction)), plainEffects(member.effects)]),
  });
}

/** The effects as the model has them. */
export function naiveEffects({ program, ...rest }: NaiveTransaction): unknown {
  return withoutNothing({ ...rest, transaction: undefined, program: program && naiveProgram(program) });
}

function naiveProgram({ inner, ...rest }: NaiveProgramEffects): unknown {
  return plainParts({
    ...rest,
    inner: inner.map((member) => [encoded(member.transaction), naiveEffects(member)]),
  });
}

interface Parts {
  readonly globals: ReadonlyMap<string, Value | undefined>;
  readonly locals: ReadonlyMap<number, ReadonlyMap<string, Value | undefined>>;
  readonly shared: readonly string[];
  readonly logs: readonly string[];
  readonly inner: readonly unknown[];
}

function plainParts({ globals, locals, shared, logs, inner }: Parts): unknown {
  if (globals.size + locals.size + logs.length + inner.length === 0) return undefined;
  const places = [...locals].map(([place, changes]) => [place, sorted(changes)] as const);
  return {
    globals: sorted(globals),
    locals: sorted(places),
    shared,
    logs,
    inner,
  };
}

/** Without its group's id, which only the node computes. */
const encoded = (transaction: Transaction): string =>
  textOf(encode(transactionSchema, { ...transaction, group: ZERO_32 }));

function withoutNothing(effects: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(effects).filter(([, value]) => value !== undefined && value !== 0n));
}
