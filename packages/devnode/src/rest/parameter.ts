import { addressOr } from '../codec/address-text.ts';
import { GoError, goParseBool, goParseInt, goParseUint } from './go-text.ts';
import { TransportRefusal } from './transport-refusal.ts';

/** A parameter of a route: its place in the request, its description for swagger, and the parser of its text. */
export interface Parameter<T> {
  readonly in: 'path' | 'query';
  readonly type: 'integer' | 'boolean' | 'string' | 'array';
  readonly required: boolean;
  readonly description: string;
  /** @param values the values in the request: none, one, or the several of a repeated query parameter. */
  bind(name: string, values: readonly string[]): T;
}

/** The values of a route's parameters, by name. */
export type Bound<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export function pathUint64(description: string): Parameter<bigint> {
  return inPath('integer', description, (name, text) => orRefuse(name, goParseUint(text)));
}

export function pathAddress(): Parameter<Uint8Array> {
  return inPath('string', 'An account’s address, 58 characters.', (name, text) => {
    const problem = `error unmarshaling '${text}' text as *basics.Address`;
    return addressOr(text, (reason) => refuse(name, `${problem}: ${reason}`));
  });
}

export function pathText(description: string): Parameter<string> {
  return inPath('string', description, (_, text) => text);
}

export function queryUint64(description: string): Parameter<bigint | undefined> {
  return inQuery('integer', description, (name, text) => orRefuse(name, goParseUint(text)));
}

export function queryInt64(description: string): Parameter<bigint | undefined> {
  return inQuery('integer', description, (name, text) => orRefuse(name, goParseInt(text)));
}

export function queryBoolean(description: string): Parameter<boolean | undefined> {
  return inQuery('boolean', description, (name, text) => orRefuse(name, goParseBool(text)));
}

export function queryText(description: string): Parameter<string | undefined> {
  return inQuery('string', description, (_, text) => text);
}

/** A query parameter that must be present. */
export function required<T>(parameter: Parameter<T>): Parameter<Exclude<T, undefined>> {
  return {
    ...parameter,
    required: true,
    bind(name, values) {
      const value = parameter.bind(name, values);
      if (isGiven(value)) return value;
      return refuse(name, `query parameter '${name}' is required`);
    },
  };
}

/** A comma-separated list in one query parameter. */
export function queryList(description: string): Parameter<readonly string[] | undefined> {
  return {
    in: 'query',
    type: 'array',
    required: false,
    description,
    bind(name, values) {
      if (values.length > 1)
        return refuse(name, `parameter '${name}' is not exploded, but is specified multiple times`);
      return values[0]?.split(',');
    },
  };
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

function inPath<T>(
  type: Parameter<T>['type'],
  description: string,
  parse: (name: string, text: string) => T,
): Parameter<T> {
  return {
    in: 'path',
    type,
    required: true,
    description,
    bind(name, [text = '']) {
      if (text === '') return refuse(name, `parameter '${name}' is empty, can't bind its value`);
      return parse(name, text);
    },
  };
}

/** A query parameter that may be present once. */
export function inQuery<T>(
  type: Parameter<T>['type'],
  description: string,
  parse: (name: string, text: string) => T,
): Parameter<T | undefined> {
  return {
    in: 'query',
    type,
    required: false,
    description,
    bind(name, values) {
      const [text] = values;
      if (text === undefined) return undefined;
      if (values.length > 1) return refuse(name, `multiple values for single value parameter '${name}'`);
      return parse(name, text);
    },
  };
}

function orRefuse<T>(name: string, value: T | GoError): T {
  return value instanceof GoError ? refuse(name, `error binding string parameter: ${value.text}`) : value;
}

/** Refuses a parameter's value. */
export function refuse(name: string, reason: string): never {
  throw new TransportRefusal(400, `Invalid format for parameter ${name}: ${reason}`);
}
