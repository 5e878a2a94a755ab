import { JsonSource } from '../codec/json-source.ts';
import type { Kind } from '../codec/kind.ts';
import { refused } from '../errors.ts';
import type { Queries } from '../queries/queries.ts';
import { emptyAnswer, jsonAnswer, type Answer } from '../rest/answer.ts';
import type { Parameter } from '../rest/parameter.ts';
import type { Json } from '../rest/plain-json.ts';
import type { Method } from '../rest/route.ts';
import type { ChainControls } from './chain-controls.ts';
import type { Events } from './events.ts';
import type { Faults } from './faults.ts';

/** The parts of a node in this process that controls work on. */
export interface LocalNode {
  readonly controls: ChainControls;
  readonly blocks: { pause(): void; resume(): void; checkOpen(): void };
  readonly queries: Queries;
  readonly impersonation: { start(address: Uint8Array): void; stop(address: Uint8Array): void };
  readonly faults: Faults;
  readonly events: Events;
  /** Awaited before a control's result is given, because it must outlive the node. Undefined: it already does. */
  kept(): Promise<void> | undefined;
}

/** A developer control: what it does in this process, and how a request calls it. */
export interface Control<Args extends readonly unknown[], Result> {
  /** Default POST. */
  readonly method?: Method;
  readonly path: string;
  readonly summary: string;
  readonly takes: { readonly [Index in keyof Args]-?: Argument<Args[Index]> };
  readonly gives: Output<Result>;
  run(node: LocalNode, ...args: Args): Result | Promise<Result>;
}

/** Any control, for code that only passes its arguments and result through. */
export type AnyControl = Control<readonly unknown[], unknown>;

/** The values of a route's parameters, by name. */
export type Values = Readonly<Record<string, Value>>;
type Value = bigint | number | boolean | string | undefined;

/** One argument of a control, and the parameters of its route that carry it. */
export interface Argument<T> {
  readonly parameters: Readonly<Record<string, Parameter<Value>>>;
  /** Set if the request's body carries it: the content type, and the most bytes. */
  readonly body?: { readonly type: string; readonly maxBytes: number };
  /** @throws DevnodeError `refused` */
  read(values: Values, body: Uint8Array): T;
  /** Gives its parameters' values, or the request's body. */
  write(value: T): Values | Uint8Array;
}

/** An argument that one parameter carries. */
export function argument<Bound extends Value, T extends Value>(
  name: string,
  parameter: Parameter<Bound>,
  read: (bound: Bound) => T,
): Argument<T> {
  return {
    parameters: { [name]: parameter },
    read: (values) => read(values[name] as Bound),
    write: (value) => ({ [name]: value }),
  };
}

/** How the result of a control is written to the answer and read from it. */
export interface Output<T> {
  answer(result: T, values: Values): Answer;
  /** @throws DevnodeError when the answer does not hold the result */
  read(body: Uint8Array): T;
}

export const nothing: Output<void> = { answer: () => emptyAnswer(), read: () => {} };

/** One member of a JSON object. */
export function member<T extends Json>(name: string, kind: Kind<T>): Output<T> {
  return {
    answer: (value) => jsonAnswer({ [name]: value }),
    read(body) {
      const source = new JsonSource(body);
      if (source.shape() === 'map') source.openMap();
      for (let index = 0; source.hasNext(index); index++) {
        if (source.key() === name) return kind.read(source, kind.zero);
        if (source.shape() === 'bytes') source.text();
        else source.unsigned(64);
      }
      throw refused(`the node's answer has no ${name}`);
    },
  };
}

/** The same, beside the values of the request. */
export function memberBesideValues<T extends Json>(name: string, kind: Kind<T>): Output<T> {
  return { ...member(name, kind), answer: (value, values) => jsonAnswer({ ...values, [name]: value }) };
}
