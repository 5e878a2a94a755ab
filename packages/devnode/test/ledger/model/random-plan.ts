// Programs chosen at random among steps whose effects the model knows.
import { planOf, type InnerField, type Method, type Operand, type Plan, type Step, type StepOpcode } from './plan.ts';
import type { Random } from './random.ts';

/** What there is to refer to. */
export interface Places {
  readonly addresses: readonly Uint8Array[];
  readonly applications: readonly bigint[];
  readonly assets: readonly bigint[];
  /** Approval and clear state programs for applications that a program creates. */
  readonly leaves: readonly (readonly [Plan, Plan])[];
}

export const VERSIONS = [8, 11, 13] as const;
const METHODS = 4;
const NAMES = ['a', 'bb', 'ccc'].map((name) => Buffer.from(name));
const KEYS = ['k', 'l', 'm', 'n', 'a key of some length'].map((key) => Buffer.from(key));
/** Mostly small boxes; the great ones meet the budgets. */
const SIZES = [0, 1, 10, 100, 100, 900, 2048, 3000, 32_769];

export const boxName = (random: Random): Uint8Array => random.of(NAMES);

export function randomPlan(
  random: Random,
  version: number,
  places: Places,
  kind: 'approval' | 'clear' = 'approval',
): Plan {
  const methods = Array.from({ length: METHODS }, (_, index): Method => {
    const steps = random
      .upTo(index === 0 ? 1 : 4, () => randomStep(random, places, kind))
      .filter((step) => isKnown(step, version));
    if (index === 0 && kind === 'approval' && places.applications.length > 0 && random.chance(50)) {
      return { steps: [{ submit: [forward(random, places)] }], end: 'approve' };
    }
    const end = random.of(['approve', 'approve', 'approve', 'reject', 'fail'] as const);
    return { steps, end: index < METHODS - 1 && !random.chance(5) ? 'approve' : end };
  });
  return planOf(version, methods);
}

const isKnown = (step: Step, version: number): boolean =>
  !('opcode' in step) || step.opcode !== 'box_resize' || version >= 10;

function randomStep(random: Random, places: Places, kind: 'approval' | 'clear'): Step {
  if (places.leaves.length > 0 && random.chance(kind === 'clear' ? 3 : 40))
    return { submit: randomGroup(random, places) };
  const opcode = random.of(kind === 'clear' && !random.chance(10) ? CLEAR_OPCODES : OPCODES);
  return { opcode, operands: OPERANDS[opcode](random, places) };
}

const anyValue = (random: Random): Operand =>
  random.chance(60) ? { int: BigInt(random.below(3)) } : { bytes: Buffer.from('value'.repeat(random.below(3))) };
const key = (random: Random): Operand => ({ bytes: random.of(KEYS) });
const box = (random: Random): Operand => ({ box: boxName(random) });
const size = (random: Random): Operand => ({ int: BigInt(random.of(SIZES)) });

function address(random: Random, { addresses }: Places): Operand {
  if (random.chance(15)) return { listed: 'Accounts', index: random.below(3) };
  return random.chance(20) ? { own: 'CurrentApplicationAddress' } : { address: random.of(addresses) };
}

/** An account as state opcodes take it: by its place, too. */
const account = (random: Random, places: Places): Operand =>
  random.chance(60) ? { place: random.chance(80) ? 0 : random.below(3) } : address(random, places);

function application(random: Random, { applications }: Places): Operand {
  if (random.chance(10) || applications.length === 0) return { listed: 'Applications', index: random.below(3) };
  return random.chance(4) ? { created: 'CreatedApplicationID' } : { application: random.of(applications) };
}

function asset(random: Random, { assets }: Places): Operand {
  if (random.chance(10) || assets.length === 0) return { listed: 'Assets', index: random.below(2) };
  return random.chance(4) ? { created: 'CreatedAssetID' } : { asset: random.of(assets) };
}

const ownOr = (random: Random, places: Places): Operand =>
  random.chance(40) ? { own: 'CurrentApplicationID' } : application(random, places);

const OPERANDS: Readonly<Record<StepOpcode, (random: Random, places: Places) => readonly Operand[]>> = {
  app_global_put: (random) => [key(random), anyValue(random)],
  app_global_del: (random) => [key(random)],
  app_global_get_ex: (random, places) => [ownOr(random, places), key(random)],
  app_local_put: (random, places) => [account(random, places), key(random), anyValue(random)],
  app_local_del: (random, places) => [account(random, places), key(random)],
  app_local_get_ex: (random, places) => [account(random, places), ownOr(random, places), key(random)],
  app_opted_in: (random, places) => [account(random, places), ownOr(random, places)],
  balance: (random, places) => [account(random, places)],
  min_balance: (random, places) => [account(random, places)],
  'asset_holding_get AssetBalance': (random, places) => [account(random, places), asset(random, places)],
  box_create: (random) => [box(random), size(random)],
  box_del: (random) => [box(random)],
  box_len: (random) => [box(random)],
  box_put: (random) => [box(random), { bytes: Buffer.alloc(random.of([10, 10, 100]), random.of(['x', 'y'])) }],
  box_resize: (random) => [box(random), size(random)],
  log: (random) => [{ bytes: Buffer.alloc(random.of([1, 5, 5, 5, 400]), 'z') }],
};

const ALL = Object.keys(OPERANDS) as StepOpcode[];
/** State is written more often than read. */
const OPCODES: readonly StepOpcode[] = [...ALL, 'app_global_put', 'app_global_put', 'app_local_put', 'box_create'];
const CLEAR_OPCODES: readonly StepOpcode[] = ['app_global_put', 'app_global_put', 'app_global_del', 'log', 'balance'];

/** Mostly one inner transaction, sometimes a few, seldom as many as there may be and one more. */
function randomGroup(random: Random, places: Places): (readonly InnerField[])[] {
  if (random.chance(4)) {
    const length = random.of([15, 16, 16, 17]);
    return Array.from({ length }, () =>
      fieldsOf({ Type: type('pay'), Receiver: { own: 'CurrentApplicationAddress' } }),
    );
  }
  return [randomInner(random, places), ...random.upTo(random.chance(25) ? 2 : 0, () => randomInner(random, places))];
}

const type = (name: string): Operand => ({ bytes: Buffer.from(name) });

const fieldsOf = (fields: Readonly<Record<string, Operand>>): readonly InnerField[] =>
  Object.entries(fields).map(([field, value]) => ({ field, value }));

function randomInner(random: Random, places: Places): readonly InnerField[] {
  const make = random.of([
    payment,
    payment,
    payment,
    transfer,
    transfer,
    configuration,
    freeze,
    call,
    call,
    call,
    creation,
  ]);
  const common: Record<string, Operand> = {};
  if (random.chance(15)) common['Fee'] = { int: BigInt(random.of([0, 1000, 1000, 2500])) };
  if (random.chance(8)) common['Sender'] = address(random, places);
  if (random.chance(6)) common['Note'] = { bytes: Buffer.alloc(1000 + random.below(900), 'n') };
  if (random.chance(2)) common['RekeyTo'] = { address: random.of(places.addresses) };
  return [...fieldsOf(common), ...make(random, places)];
}

function payment(random: Random, places: Places): readonly InnerField[] {
  return fieldsOf({
    Type: type('pay'),
    Receiver: address(random, places),
    Amount: { int: BigInt(random.of([0, 1, 1, 1000, 1000, 100_000, 300_000, random.chance(20) ? 10 ** 12 : 0])) },
    ...(random.chance(6) && { CloseRemainderTo: address(random, places) }),
  });
}

function transfer(random: Random, places: Places): readonly InnerField[] {
  const base = { Type: type('axfer'), XferAsset: asset(random, places) };
  if (random.chance(50)) return fieldsOf({ ...base, AssetReceiver: { own: 'CurrentApplicationAddress' } });
  return fieldsOf({
    ...base,
    AssetReceiver: address(random, places),
    AssetAmount: { int: BigInt(random.below(4)) },
    ...(random.chance(15) && { AssetSender: address(random, places) }),
    ...(random.chance(15) && { AssetCloseTo: address(random, places) }),
  });
}

function configuration(random: Random, places: Places): readonly InnerField[] {
  if (random.chance(25)) return fieldsOf({ Type: type('acfg'), ConfigAsset: asset(random, places) });
  const role = (): Operand => ({ address: random.of(places.addresses) });
  return fieldsOf({
    Type: type('acfg'),
    ConfigAssetTotal: { int: 10n },
    ConfigAssetManager: random.chance(70) ? { own: 'CurrentApplicationAddress' } : role(),
    ConfigAssetFreeze: random.chance(70) ? { own: 'CurrentApplicationAddress' } : role(),
    ConfigAssetClawback: random.chance(70) ? { own: 'CurrentApplicationAddress' } : role(),
  });
}

function freeze(random: Random, places: Places): readonly InnerField[] {
  return fieldsOf({
    Type: type('afrz'),
    FreezeAsset: asset(random, places),
    FreezeAssetAccount: address(random, places),
    FreezeAssetFrozen: { int: BigInt(random.below(2)) },
  });
}

export function methodNumber(random: Random): Uint8Array {
  const bytes = Buffer.alloc(8);
  const method = random.chance(40) ? 0 : random.below(METHODS + Number(random.chance(3)));
  bytes.writeBigUInt64BE(BigInt(method));
  return bytes;
}

function call(random: Random, places: Places): readonly InnerField[] {
  const lists = [
    ...random.upTo(2, () => ({ field: 'Accounts', value: address(random, places) })),
    ...random.upTo(1, () => ({ field: 'Assets', value: asset(random, places) })),
    ...random.upTo(2, () => ({ field: 'Applications', value: application(random, places) })),
  ];
  return [
    ...fieldsOf({
      Type: type('appl'),
      ApplicationID: application(random, places),
      OnCompletion: { int: random.of([0n, 0n, 0n, 0n, 1n, 1n, 2n, 3n, 5n]) },
      ApplicationArgs: { bytes: methodNumber(random) },
    }),
    ...(random.chance(40) ? lists : []),
  ];
}

/** Only a call of the first method of another application, so that calls reach depths. */
function forward(random: Random, { applications }: Places): readonly InnerField[] {
  return fieldsOf({
    Type: type('appl'),
    ApplicationID: { application: random.of(applications) },
    ApplicationArgs: { bytes: Buffer.alloc(8) },
  });
}

function creation(random: Random, { leaves }: Places): readonly InnerField[] {
  const [approval, clear] = random.of(leaves);
  return fieldsOf({
    Type: type('appl'),
    ApprovalProgram: { program: approval },
    ClearStateProgram: { program: clear },
    GlobalNumUint: { int: BigInt(random.below(3)) },
    LocalNumUint: { int: BigInt(random.below(2)) },
    OnCompletion: { int: random.of([0n, 0n, 0n, 0n, 1n, 5n]) },
    ApplicationArgs: { bytes: methodNumber(random) },
    ...(random.chance(20) && { ExtraProgramPages: { int: 1n } }),
  });
}
