// Runs of programs: the steps of a plan, one after another.
import { valueOf } from './operands.ts';
import type { StepOpcode } from './plan.ts';
import { submit } from './inner.ts';
import {
  accountAt,
  availableAccount,
  availableApplication,
  availableHolding,
  availableLocals,
  namedBoxes,
  placeOf,
} from './resources.ts';
import {
  addressOf,
  textOf,
  type GroupRun,
  type NaiveProgramEffects,
  type NaiveTransaction,
  type ProgramRun,
} from './run.ts';
import { accountOf, checkSchema, minimumOf, pair, refuse, type NaiveLocalState, type Value } from './world.ts';

const BYTES_PER_REFERENCE = 2048;

interface ProgramCall {
  readonly group: GroupRun;
  readonly member: NaiveTransaction;
  readonly id: bigint;
  readonly program: string;
  readonly kind: 'approval' | 'clear';
  readonly caller: ProgramRun | undefined;
}

/** Runs a program to its end; what it does before it fails stays in the world, which the caller takes back. */
export function runProgram({ group, member, id, program, kind, caller }: ProgramCall): void {
  const { transaction } = member;
  const plan = group.plans.get(program) ?? refuse('a program without a plan');
  const effects: NaiveProgramEffects = { globals: new Map(), locals: new Map(), shared: [], logs: [], inner: [] };
  member.program = effects;
  const run: ProgramRun = { group, kind, application: id, plan, transaction, effects, caller, last: undefined };
  if (plan.version < 9 && transaction.access !== undefined) refuse('pre-sharedResources program');
  const [first] = transaction.applicationArgs ?? [];
  const method = plan.methods[first === undefined ? 0 : Number(`0x${Buffer.from(first).toString('hex')}`)];
  if (method === undefined) return refuse('err opcode executed');
  for (const step of method.steps) {
    if ('submit' in step) submit(run, step.submit);
    else
      STEPS[step.opcode](
        run,
        step.operands.map((operand) => valueOf(run, operand)),
      );
  }
  if (method.end === 'fail') refuse('err opcode executed');
  if (method.end === 'reject') refuse('transaction rejected by ApprovalProgram');
}

const number = (value: Value | undefined): bigint => (typeof value === 'bigint' ? value : refuse('wanted uint64'));
const text = (value: Value | undefined): string => (typeof value === 'string' ? value : refuse('wanted []byte'));

function itob(value: bigint | number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return textOf(bytes);
}

function log({ effects: { logs } }: ProgramRun, entry: string): void {
  if (logs.length >= 32) refuse('too many log calls in program. up to 32 is allowed');
  const bytes = [...logs, entry].join('').length;
  if (bytes > 1024) refuse(`program logs too large. ${bytes} bytes`);
  logs.push(entry);
}

type StepOf = (run: ProgramRun, values: readonly Value[]) => void;

const STEPS: Readonly<Record<StepOpcode, StepOf>> = {
  app_global_put(run, [key, value = 0n]) {
    const { globals, globalSchema } = ownApplication(run);
    if (globals.get(text(key)) !== value) run.effects.globals.set(text(key), value);
    globals.set(text(key), value);
    checkSchema(globals.values(), globalSchema);
  },
  app_global_del(run, [key]) {
    if (ownApplication(run).globals.delete(text(key))) run.effects.globals.set(text(key), undefined);
  },
  app_global_get_ex(run, [application, key]) {
    const id = availableApplication(run, number(application));
    const { globals } = run.group.world.applications.get(id) ?? refuse(`app ${id} does not exist`);
    log(run, itob(Number(globals.has(text(key)))));
  },
  app_local_put(run, [account = 0n, key, value = 0n]) {
    const { keys, schema, owner } = writableLocals(run, account, 'fetch');
    if (keys.get(text(key)) !== value) localDelta(run, account, owner).set(text(key), value);
    keys.set(text(key), value);
    checkSchema(keys.values(), schema);
  },
  app_local_del(run, [account = 0n, key]) {
    const { keys, owner } = writableLocals(run, account, 'del');
    if (keys.delete(text(key))) localDelta(run, account, owner).set(text(key), undefined);
  },
  app_local_get_ex(run, [account = 0n, application, key]) {
    const [owner, id] = availableLocals(run, account, number(application));
    const local = run.group.world.locals.get(pair(owner, id)) ?? refuse(`has not opted in to app ${id}`);
    log(run, itob(Number(local.keys.has(text(key)))));
  },
  app_opted_in(run, [account = 0n, application]) {
    const [owner, id] = availableLocals(run, account, number(application));
    log(run, itob(Number(run.group.world.locals.has(pair(owner, id)))));
  },
  balance(run, [account = 0n]) {
    log(run, itob(accountOf(run.group.world, availableAccount(run, account)).balance));
  },
  min_balance(run, [account = 0n]) {
    log(run, itob(minimumOf(run.group.world, availableAccount(run, account), addressOf)));
  },
  'asset_holding_get AssetBalance'(run, [account = 0n, asset]) {
    const [owner, id] = availableHolding(run, account, number(asset));
    log(run, itob(run.group.world.holdings.get(pair(owner, id))?.amount ?? 0n));
  },
  box_create(run, [name, size]) {
    const { boxes } = run.group.world;
    const [key, length] = [usableBox(run, text(name), number(size)), Number(number(size))];
    const present = boxes.get(key)?.content.length;
    if (present !== undefined && present !== length) refuse(`box size mismatch ${present} ${length}`);
    if (present === undefined) {
      write(run, key, length);
      boxes.set(key, { application: run.application, name: text(name), content: '\0'.repeat(length) });
    }
    log(run, itob(Number(present === undefined)));
  },
  box_put(run, [name, content]) {
    const { boxes } = run.group.world;
    const key = usableBox(run, text(name), BigInt(text(content).length));
    const present = boxes.get(key)?.content.length;
    if (!run.group.dirty.has(key)) write(run, key, present ?? text(content).length);
    if (present !== undefined && present !== text(content).length) refuse('attempt to box_put wrong size');
    boxes.set(key, { application: run.application, name: text(name), content: text(content) });
  },
  box_resize(run, [name, size]) {
    const { boxes } = run.group.world;
    const [key, length] = [usableBox(run, text(name), number(size)), Number(number(size))];
    write(run, key, length);
    const box = boxes.get(key) ?? refuse('no such box');
    box.content = box.content.slice(0, length).padEnd(length, '\0');
  },
  box_del(run, [name]) {
    const key = usableBox(run, text(name), 0n);
    run.group.dirty.delete(key);
    log(run, itob(Number(run.group.world.boxes.delete(key))));
  },
  box_len(run, [name]) {
    const key = usableBox(run, text(name), 0n);
    log(run, itob(run.group.world.boxes.get(key)?.content.length ?? 0));
  },
  log(run, [entry]) {
    log(run, text(entry));
  },
};

function ownApplication({ group: { world }, application }: ProgramRun) {
  return world.applications.get(application) ?? refuse(`app ${application} does not exist`);
}

function writableLocals(run: ProgramRun, account: Value, verb: 'fetch' | 'del'): NaiveLocalState {
  if (run.plan.version < 9) {
    const owner = availableAccount(run, account);
    if (placeOf(run, owner) === undefined) refuse('invalid Account reference for mutation');
  } else availableLocals(run, account, 0n);
  const local = run.group.world.locals.get(pair(accountAt(run, account), run.application));
  return local ?? refuse(`cannot ${verb} key, `);
}

/** The changes of an account's state, by the account's place in the call, or behind all places if it has none. */
function localDelta(run: ProgramRun, account: Value, owner: string): Map<string, Value | undefined> {
  const { effects, transaction } = run;
  const { accounts = [], access } = transaction;
  const listedAt = typeof account === 'bigint' ? Number(account) : placeOf(run, owner);
  let place = listedAt;
  if (place === undefined || (access !== undefined && place > 0)) {
    if (!effects.shared.includes(owner)) effects.shared.push(owner);
    place = accounts.length + 1 + effects.shared.indexOf(owner);
  }
  const changes = effects.locals.get(place) ?? new Map<string, Value | undefined>();
  effects.locals.set(place, changes);
  return changes;
}

/** The key of a box that a program may use. */
function usableBox(run: ProgramRun, name: string, size: bigint): string {
  const { group, application } = run;
  if (size > 32_768n) refuse('box size too large');
  if (run.kind === 'clear') refuse('boxes may not be accessed from ClearState program');
  const [key, named] = [pair(application, name), namedBoxes(group)];
  if (group.adopted.has(key) || named.some((box) => box.key === key)) return key;
  const blanks = named.filter((box) => box.key === undefined).length;
  if (!group.newApplications.has(application) || group.adopted.size >= blanks) refuse('invalid Box reference');
  group.adopted.add(key);
  group.count('box of a new application without a name');
  return key;
}

/** Counts the bytes of a box as written. The account of the application now exists, even if it has nothing. */
function write({ group, application }: ProgramRun, key: string, bytes: number): void {
  accountOf(group.world, addressOf(application));
  group.dirty.set(key, bytes);
  const written = [...group.dirty.values()].reduce((sum, size) => sum + size, 0);
  const budget = namedBoxes(group).length * BYTES_PER_REFERENCE;
  if (written > budget) refuse(`write budget exceeded (${written} > ${budget})`);
}

/** Once, before the first program: the boxes that the group names must not be too large together. */
export function checkReadBudget(group: GroupRun): void {
  if (group.isReadChecked) return;
  group.isReadChecked = true;
  const named = namedBoxes(group);
  const keys = new Set(named.map(({ key }) => key));
  const read = [...keys].reduce((sum, key = '') => sum + (group.world.boxes.get(key)?.content.length ?? 0), 0);
  const budget = named.length * BYTES_PER_REFERENCE;
  if (read > budget) refuse(`read budget exceeded (${read} > ${budget})`);
}
