import { OpcodeFailure } from '@avm402/teal/application';
import type { KeyValues, StateSchema, StateValue } from '../codec/schema/application.ts';

/** The number of values of each type. */
export interface ValueCounts {
  readonly uints: number;
  readonly byteSlices: number;
}

export function countsOf(keys: KeyValues): ValueCounts {
  let uints = 0;
  for (const value of keys.values()) if (typeof value === 'bigint') uints++;
  return { uints, byteSlices: keys.size - uints };
}

/** algod's reason why the values do not fit the schema, if they do not. */
export function schemaProblem({ uints, byteSlices }: ValueCounts, schema: StateSchema): string | undefined {
  if (BigInt(uints) > schema.uints) return `store integer count ${uints} exceeds schema integer count ${schema.uints}`;
  if (BigInt(byteSlices) <= schema.byteSlices) return undefined;
  return `store bytes count ${byteSlices} exceeds schema bytes count ${schema.byteSlices}`;
}

/**
 * The keys with one of them set or, for `undefined`, deleted.
 * @throws OpcodeFailure when the schema has no room for the value
 */
export function withValue(
  keys: KeyValues,
  schema: StateSchema,
  { key, value }: { readonly key: string; readonly value: StateValue | undefined },
): KeyValues {
  const changed = new Map(keys);
  if (value === undefined) changed.delete(key);
  else changed.set(key, value);
  const problem = value === undefined ? undefined : schemaProblem(countsOf(changed), schema);
  if (problem !== undefined) throw new OpcodeFailure(problem);
  return changed;
}
