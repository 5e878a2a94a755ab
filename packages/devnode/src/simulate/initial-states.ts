import type { ApplicationGroup, ProgramRun } from '@avm402/teal/application';
import type { TraceStep } from '@avm402/teal/run';
import type { ApplicationInitialState, InitialStates, KeyValues } from '../codec/schema/simulate.ts';
import { addressKey, addressOfKey } from '../transaction/address-key.ts';
import { accountText, valueRecord } from './execution-trace.ts';

type StateUse = NonNullable<TraceStep['state']>;

/** The keys of one kind of state, with their first values; undefined: a key that a program wrote first. */
type FirstValues = Map<string, ReturnType<typeof valueRecord> | undefined>;

interface FirstStates {
  readonly globals: FirstValues;
  readonly boxes: FirstValues;
  /** By the account's text, empty where an instruction named no account that its program may look at. */
  readonly locals: Map<string, FirstValues>;
}

/** The state of applications before the group, as far as its programs read or changed it. */
export function initialStatesOf(programs: ApplicationGroup | undefined): InitialStates {
  const states = new Map<bigint, FirstStates>();
  if (programs !== undefined) noteGroup(programs, states);
  return { applications: [...states].map(([id, state]) => stateRecord(id, state)) };
}

function noteGroup(group: ApplicationGroup, states: Map<bigint, FirstStates>): void {
  for (const run of group.runs) if (run !== undefined) noteRun(run, states);
}

function noteRun(run: ProgramRun, states: Map<bigint, FirstStates>): void {
  const isCreated = run.shared.resources.createdApplications.has(run.applicationId);
  for (const { state, submits } of run.steps ?? []) {
    if (state !== undefined && !isCreated) noteUse(state, states);
    const group = submits === undefined ? undefined : run.submitted[submits];
    if (group !== undefined) noteGroup(group, states);
  }
}

function noteUse(use: StateUse, states: Map<bigint, FirstStates>): void {
  const { applicationId, key, before } = use;
  const state = states.get(applicationId) ?? { globals: new Map(), boxes: new Map(), locals: new Map() };
  states.set(applicationId, state);
  const values = valuesOf(state, use);
  const name = addressKey(key);
  if (values.has(name)) return;
  values.set(name, before === undefined && use.use === 'write' ? undefined : valueRecord(before));
}

function valuesOf({ globals, boxes, locals }: FirstStates, { kind, account }: StateUse): FirstValues {
  if (kind !== 'local') return kind === 'box' ? boxes : globals;
  const owner = accountText(account);
  const values: FirstValues = locals.get(owner) ?? new Map();
  locals.set(owner, values);
  return values;
}

function stateRecord(id: bigint, { globals, boxes, locals }: FirstStates): ApplicationInitialState {
  return {
    id,
    globals: keyValues(globals),
    boxes: keyValues(boxes),
    locals: [...locals].flatMap(([account, values]) => keyValues(values, account) ?? []),
  };
}

function keyValues(values: FirstValues, account = ''): KeyValues | undefined {
  const pairs = [...values].flatMap(([key, value]) => (value === undefined ? [] : [{ key: addressOfKey(key), value }]));
  return pairs.length === 0 ? undefined : { account, pairs };
}
