import { addressOr } from '../codec/address-text.ts';
import { decodeBase64 } from '@avm402/algorand/base64';
import { inQuery, type Parameter, refuse } from '../rest/parameter.ts';
import type { Route } from '../rest/route.ts';
import { TransportRefusal } from '../rest/transport-refusal.ts';

export function queryAddress(description: string): Parameter<Uint8Array | undefined> {
  return inQuery('string', description, (name, text) => addressOr(text, (reason) => refuse(name, reason)));
}

export function queryBase64(description: string): Parameter<Uint8Array | undefined> {
  return inQuery('string', description, (name, text) => decodeBase64(text) ?? refuse(name, 'it is not base64'));
}

/** A day, or a time with its offset from UTC: without one, the node's own time zone would decide. */
const RFC_3339 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A time in RFC 3339 format, read as seconds since 1970. */
export function queryTime(description: string): Parameter<number | undefined> {
  return inQuery('string', description, (name, text) => {
    const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? refuse(name, 'it is not a time in RFC 3339 format') : time / 1000;
  });
}

/** One of a few words. */
export function queryChoice<const T extends string>(
  description: string,
  choices: readonly T[],
): Parameter<T | undefined> {
  return inQuery(
    'string',
    description,
    (name, text) =>
      choices.find((choice) => choice === text.toLowerCase()) ?? refuse(name, `it is one of ${choices.join(', ')}`),
  );
}

/** A parameter of other indexers that this one does not support. */
export function unsupported(reason: string): Parameter<undefined> {
  return inQuery('string', `Not supported: ${reason}.`, (name) =>
    refuse(name, `not supported by this indexer: ${reason}`),
  );
}

/** `include-all`: refused, because closed and destroyed entries are forgotten; `false` changes nothing. */
export const includeAll: Parameter<undefined> = inQuery(
  'boolean',
  'Not supported but for `false`: what is deleted is forgotten.',
  (name, text) =>
    text === 'false' ? undefined : refuse(name, 'not supported by this indexer: it forgets what is deleted'),
);

/** Refuses unknown filters, because the caller would take the answer for filtered. */
export function refuseUnknown({ parameters }: Route, query: ReadonlyMap<string, unknown>): void {
  for (const name of query.keys()) {
    if (name === 'pretty' || parameters[name]?.in === 'query') continue;
    throw new TransportRefusal(400, `Unknown parameter detected: ${name}`);
  }
}

/** Whether an amount is within `currency-greater-than` and `currency-less-than`. */
export function isWithin(
  amount: bigint,
  limits: {
    readonly 'currency-greater-than': bigint | undefined;
    readonly 'currency-less-than': bigint | undefined;
  },
): boolean {
  const [more, less] = [limits['currency-greater-than'], limits['currency-less-than']];
  return (more === undefined || amount > more) && (less === undefined || amount < less);
}
