import type { Mode } from './environment.ts';
import type { StackType } from './stack-value.ts';

/** One name that an opcode takes as an immediate. */
export interface Field {
  readonly code: number;
  readonly name: string;
  /** The type that it gives or takes; a curve or an encoding gives nothing. */
  readonly type?: StackType;
  /** The first version. Default: that of the opcode. */
  readonly since?: number;
  /** Set if it has many values, chosen by an index. */
  readonly array?: true;
  /** Default: both. */
  readonly modes?: readonly Mode[];
  /** The first version in which `itxn_field` or `app_params_set` can set it. */
  readonly settable?: number;
}

/** The names that an immediate can have. */
export interface FieldGroup<F extends Field = Field> {
  /** The plain name used in messages: `txn`, `global`, `block`. */
  readonly name: string;
  /**
   * The type name from which algod prints numbers outside the table: `invalidTxnField` for the first, `TxnField(255)`
   * above.
   */
  readonly typeName: string;
  readonly fields: readonly F[];
  /** The field with this code, if it exists; with a version, only if it exists in that one. */
  fieldOf(code: number, version?: number): F | undefined;
  fieldNamed(name: string): F | undefined;
}

/** Creates a group of fields, in the order of their codes from 0. */
export function fieldGroup<F extends Field>(name: string, typeName: string, fields: readonly F[]): FieldGroup<F> {
  const byCode = new Map(fields.map((field) => [field.code, field]));
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    name,
    typeName,
    fields,
    fieldOf: (code, version = Infinity) => {
      const field = byCode.get(code);
      return (field?.since ?? 0) <= version ? field : undefined;
    },
    fieldNamed: (wanted) => byName.get(wanted),
  };
}

/** The name of a field by its code, known or not, as algod prints it. */
export function fieldName(group: FieldGroup, code: number): string {
  const { typeName, fields } = group;
  return group.fieldOf(code)?.name ?? (code === fields.length ? `invalid${typeName}` : `${typeName}(${code})`);
}
