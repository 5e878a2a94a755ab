import { address, bytes } from '../bytes.ts';
import { boolean, uint32, uint64 } from '../integer.ts';
import { converted, type Kind, type ValueOf } from '../kind.ts';
import { field, Struct } from '../struct.ts';
import { textBytes } from '../text.ts';
import { stateSchema } from './transaction.ts';
import { byteStringMap } from '../map.ts';

/** A value in the state of an application. */
export type StateValue = bigint | Uint8Array;

/** The state of an application, or of an account in it. Keys have one character per byte. Maps are never changed. */
export type KeyValues = ReadonlyMap<string, StateValue>;

/** The numbers of the two types of a value. */
export const BYTES_TYPE = 1n;
export const UINT_TYPE = 2n;

const stateValue = new Struct({ type: field('tt', uint64), bytes: field('tb', textBytes), uint: field('ui', uint64) });

const typedValue: Kind<StateValue> = converted(stateValue, {
  to: (value) =>
    typeof value === 'bigint'
      ? stateValue.of({ type: UINT_TYPE, uint: value })
      : stateValue.of({ type: BYTES_TYPE, bytes: value }),
  from: ({ type, bytes: given, uint }) => (type === BYTES_TYPE ? given : uint),
});

const keyValues: Kind<KeyValues> = byteStringMap(typedValue);

/** The state of an account in an application (go-algorand data/basics, AppLocalState). */
export const localState = new Struct({ schema: field('hsch', stateSchema), keys: field('tkv', keyValues) });

/** An application as the ledger encodes it (go-algorand data/basics, AppParams). */
export const applicationParams = new Struct({
  approvalProgram: field('approv', bytes),
  clearStateProgram: field('clearp', bytes),
  globals: field('gs', keyValues),
  localSchema: field('lsch', stateSchema),
  globalSchema: field('gsch', stateSchema),
  extraPages: field('epp', uint32),
  /** The number of updates. */
  version: field('v', uint64),
  /** The account that pays for the size since it last changed; zero: the creator. */
  sizeSponsor: field('ss', address),
  foreignBoxReads: field('fbr', boolean),
  familyBoxAccess: field('fba', boolean),
});

export type StateSchema = ValueOf<typeof stateSchema>;
export type LocalState = ValueOf<typeof localState>;
export type ApplicationParams = ValueOf<typeof applicationParams>;
