import { sameBytes } from './bytes.ts';
import { AlgorandError } from './errors.ts';
import type { MsgpackKey, MsgpackValue } from './msgpack.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import {
  EncodedMsgpack,
  type FieldKind,
  type OptionalField,
  type RequiredField,
  type WireValue,
} from './wire-field.ts';

/** The fields of a record of type `T`. An optional property has no default value. */
export type WireFields<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalField<NonNullable<T[K]>> : RequiredField<T[K]>;
};

interface NamedField extends OptionalField<unknown> {
  readonly property: string;
  readonly absent?: () => unknown;
}

/** A msgpack map with known keys: a transaction, its asset parameters, a signed transaction, a multisig. */
export interface WireRecord<T> {
  /** The record's name in messages, e.g. `pay transaction`. */
  readonly name: string;
  /** In canonical (bytewise) order of keys. */
  readonly fields: readonly NamedField[];
  readonly keys: ReadonlySet<MsgpackKey>;
  /** The record's type, for the compiler only. */
  readonly type?: T;
}

export function wireRecord<T extends object>(name: string, fields: WireFields<T>): WireRecord<T> {
  const named = Object.entries<OptionalField<unknown>>({ ...fields }).map(([property, field]) => ({
    ...field,
    property,
  }));
  const sorted = named.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { name, fields: sorted, keys: new Set(sorted.map((field) => field.key)) };
}

/** A value of a record, some of whose parts may be msgpack already. */
export type Encodable<T> = { readonly [K in keyof T]: T[K] | EncodedMsgpack };

type Named = Pick<WireRecord<unknown>, 'name'>;

// One writer for all records, because a writer for each makes encoding twice as slow. Nested parts are encoded before
// anything is written.
const writer = new MsgpackWriter();

/**
 * The canonical bytes of a record: a map of its non-zero fields.
 * @throws AlgorandError `invalid_transaction`, which names the property that can't be encoded
 */
export function encodeRecord<T extends object>(record: WireRecord<T>, value: Encodable<T>): Uint8Array {
  // The property names come from the record; the field's kind checks the values found under them.
  const properties = value as Readonly<Record<string, unknown>>;
  const members: { readonly key: string; readonly value: WireValue }[] = [];
  for (const field of record.fields) {
    const member = toWire(record, field, properties[field.property]);
    if (member !== undefined) members.push({ key: field.key, value: member });
  }
  writer.clear().mapHeader(members.length);
  for (const member of members) {
    writer.text(member.key);
    writeMember(member.value);
  }
  return writer.toBytes();
}

function toWire(record: Named, field: NamedField, value: unknown): WireValue | undefined {
  if (value === undefined) return undefined;
  try {
    return field.kind.toWire(value);
  } catch (cause) {
    const reason = cause instanceof AlgorandError ? cause.message : 'it is not valid';
    const message = `${field.property} of a ${record.name}: ${reason}`;
    throw new AlgorandError('invalid_transaction', message, { field: field.property, cause });
  }
}

function writeMember(member: WireValue): void {
  if (typeof member === 'bigint') writer.integer(member);
  else if (typeof member === 'string') writer.text(member);
  else if (typeof member === 'boolean') writer.boolean(member);
  else if (member instanceof EncodedMsgpack) writer.raw(member.bytes);
  else writer.bytes(member);
}

/**
 * Reads a map into the record's properties. Unknown keys are refused by name. The caller checks that the bytes were
 * canonical by encoding the result again.
 * @throws AlgorandError `unknown_field`, `invalid_transaction`
 */
export function readRecord<T>(record: WireRecord<T>, value: MsgpackValue): T {
  if (!(value instanceof Map)) throw new AlgorandError('invalid_transaction', `a ${record.name} must be a map`);
  for (const key of value.keys()) {
    if (!record.keys.has(key)) throw unknownField(record, key);
  }
  const properties: Record<string, unknown> = {};
  for (const field of record.fields) {
    const member = value.get(field.key);
    const property = member === undefined ? field.absent?.() : fromWire(record, field, member);
    if (property !== undefined) properties[field.property] = property;
  }
  // Each property was read by its kind, and the record's fields are those of its type.
  return properties as T;
}

function fromWire(record: Named, field: NamedField, member: MsgpackValue): unknown {
  const property = field.kind.fromWire(member);
  if (property !== undefined) return property;
  const message = `field ${field.key} of a ${record.name} is of a wrong kind or length`;
  throw new AlgorandError('invalid_transaction', message, { field: field.key });
}

function unknownField(record: Named, key: MsgpackKey): AlgorandError {
  if (typeof key !== 'string') return new AlgorandError('unknown_field', `a ${record.name} has a key that is not text`);
  return new AlgorandError('unknown_field', `a ${record.name} has no field ${JSON.stringify(key)}`, { field: key });
}

/** A nested record; it is omitted if all its fields are zero. */
export function nestedRecord<T extends object>(record: WireRecord<T>): FieldKind<T> {
  return {
    toWire(value) {
      if (typeof value !== 'object' || value === null)
        throw new AlgorandError('invalid_transaction', 'it must be an object');
      // The kinds of its properties check the values found under their names.
      const encoded = encodeRecord(record, value as T);
      return encoded[0] === EMPTY_MAP ? undefined : new EncodedMsgpack(encoded);
    },
    fromWire: (value) => readRecord(record, value),
  };
}

const EMPTY_MAP = 0x80;

/** @throws AlgorandError `not_canonical` unless encoding what was read gave the same bytes again */
export function assertCanonical(name: string, given: Uint8Array, encodedAgain: Uint8Array): void {
  if (sameBytes(given, encodedAgain)) return;
  const message = `the ${name} is not in canonical form: encoding it again gives other bytes`;
  throw new AlgorandError('not_canonical', message);
}
