import type { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Kind } from './kind.ts';
import type { Source } from './source.ts';

/** One field of a structure: its key on the wire and its kind. */
export interface Field<T> {
  readonly key: string;
  readonly kind: Kind<T>;
  /** Whether it is written even when zero. */
  readonly always: boolean;
}

/** A field that is left out when zero. */
export function field<T>(key: string, kind: Kind<T>): Field<T> {
  return { key, kind, always: false };
}

/** A field that is written even when zero. */
export function requiredField<T>(key: string, kind: Kind<T>): Field<T> {
  return { key, kind, always: true };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type RecordOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };

interface NamedField extends Field<unknown> {
  readonly name: string;
  /** The kind's zero. Most fields of most records hold it, so it is compared first. */
  readonly zero: unknown;
}

type Values = Record<string, unknown>;

/**
 * A structure with a table of fields in algod's order of declaration, which matters when a list stands for a map. It is
 * written canonically: keys sorted, zero fields left out.
 */
export class Struct<F extends Fields> implements Kind<RecordOf<F>> {
  readonly zero: RecordOf<F>;
  readonly fields: F;
  readonly #declared: readonly NamedField[];
  readonly #sorted: readonly NamedField[];
  readonly #byKey: ReadonlyMap<string, NamedField>;

  constructor(fields: F) {
    this.fields = fields;
    this.#declared = Object.entries(fields).map(([name, each]) => ({ name, zero: each.kind.zero, ...each }));
    this.#sorted = [...this.#declared].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#byKey = new Map(this.#declared.map((each) => [each.key, each]));
    this.zero = Object.fromEntries(this.#declared.map(({ name, kind }) => [name, kind.zero])) as RecordOf<F>;
  }

  /** A record of the given fields; the others are zero. */
  of(values: Partial<RecordOf<F>>): RecordOf<F> {
    return Object.assign(copyOf(this.zero), values);
  }

  isZero(value: RecordOf<F>): boolean {
    if (value === this.zero) return true;
    const values: Values = value;
    return !this.#declared.some((each) => isWritten(each, values[each.name]));
  }

  isUnset(value: RecordOf<F>): boolean {
    if (value === this.zero) return true;
    const values: Values = value;
    return this.#declared.every(({ name, kind }) => kind.isUnset(values[name]));
  }

  read(source: Source, before: RecordOf<F>): RecordOf<F> {
    switch (source.shape()) {
      case 'nil':
        source.nil();
        return this.zero;
      case 'map':
        return this.#readMap(source, before);
      case 'list':
        return this.#readList(source, before);
      case 'bytes':
      case 'other':
    }
    throw source.error('only encoded map or array can be decoded into a struct');
  }

  write(writer: MsgpackWriter, value: RecordOf<F>): void {
    const values: Values = value;
    const present: NamedField[] = [];
    for (const each of this.#sorted) if (isWritten(each, values[each.name])) present.push(each);
    writer.mapHeader(present.length);
    for (const { name, key, kind } of present) {
      writer.text(key);
      kind.write(writer, values[name]);
    }
  }

  json(value: RecordOf<F>, indent: string): string {
    const values: Values = value;
    const inner = `${indent}  `;
    const members: string[] = [];
    for (const each of this.#sorted) {
      const member = values[each.name];
      if (isWritten(each, member)) members.push(`${inner}"${each.key}": ${each.kind.json(member, inner)}`);
    }
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }

  #readMap(source: Source, before: RecordOf<F>): RecordOf<F> {
    const values: Values = copyOf(before);
    const size = source.openMap();
    for (let index = 0; source.hasNext(index, size); index++) {
      const key = source.key();
      const found = this.#byKey.get(key);
      if (found === undefined) {
        throw source.error(`no matching struct field found when decoding stream map with key ${key}`);
      }
      values[found.name] = found.kind.read(source, values[found.name]);
    }
    return values as RecordOf<F>;
  }

  #readList(source: Source, before: RecordOf<F>): RecordOf<F> {
    const values: Values = copyOf(before);
    const size = source.openList();
    for (let index = 0; source.hasNext(index, size); index++) {
      const found = this.#declared[index];
      if (found === undefined) {
        throw source.error(`no matching struct field found when decoding stream array at index ${index}`);
      }
      values[found.name] = found.kind.read(source, values[found.name]);
    }
    return values as RecordOf<F>;
  }
}

/** Copies without a spread, which would be ten times slower where records have many shapes. */
function copyOf<T extends object>(record: T): T {
  return Object.assign({}, record);
}

function isWritten({ zero, kind, always }: NamedField, value: unknown): boolean {
  return always || (value !== zero && !kind.isZero(value));
}
