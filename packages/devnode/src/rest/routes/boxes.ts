import type { AlgodConfig } from '../algod-config.ts';
import { encodeBase64 } from '@avm402/algorand/base64';
import { byteStringBase64 } from '../../codec/text.ts';
import { DevnodeError, notFound, refused } from '../../errors.ts';
import type { Boxes } from '../../queries/boxes.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer, type Answer } from '../answer.ts';
import { type Bound, pathUint64, queryList, queryText, queryUint64, required } from '../parameter.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';
import { parseBoxName } from './box-name.ts';

/** A page ends before it has more bytes than this. */
const MAX_PAGE_BYTES = 1_000_000;
/** Bytes that each box counts beside its name and content. */
const BYTES_PER_BOX = 11;

const listParameters = {
  'application-id': pathUint64('An application id.'),
  max: queryUint64('If there are more boxes than this, they are not listed.'),
  limit: queryUint64('Boxes a page.'),
  next: queryText('A box name: the page begins after it.'),
  prefix: queryText('Beginning of the names wanted.'),
  include: queryList('`values`: with the boxes’ contents.'),
  round: queryUint64('The round to look at.'),
};

/**
 * Boxes of applications. An unknown application has none. One answer has at most `MaxAPIBoxPerApplication` boxes; 0: as
 * many as there are.
 */
export function boxRoutes(queries: Queries, config: Pick<AlgodConfig, 'MaxAPIBoxPerApplication'>): Route[] {
  const maxBoxes = config.MaxAPIBoxPerApplication;
  return [
    route({
      path: '/v2/applications/:application-id/boxes',
      summary: 'Names of an application’s boxes.',
      parameters: listParameters,
      handle(parameters) {
        const { 'application-id': id, max = 0n, round } = parameters;
        const page = pageOf(parameters, maxBoxes);
        if (page === undefined) return allNames(queries, id, { max, maxBoxes });
        return pageAnswer(boxesAt(queries, round), id, { ...page(), round: round ?? queries.latestRound });
      },
    }),
    route({
      path: '/v2/applications/:application-id/box',
      summary: 'One box of an application.',
      parameters: {
        'application-id': pathUint64('An application id.'),
        name: required(queryText('`encoding:value`, e.g. `str:name`.')),
      },
      handle: (parameters) => boxAnswer(queries, parameters['application-id'], parseBoxName(parameters.name)),
    }),
  ];
}

/** Reads a page; undefined if none is asked for. algod reads it after it has looked at the round. */
function pageOf(
  { limit = 0n, next, prefix = '', include = [], round }: Bound<typeof listParameters>,
  maxBoxes: number,
): (() => Omit<BoxPage, 'round'>) | undefined {
  const withValues = include.includes('values');
  if (limit === 0n && next === undefined && prefix === '' && !withValues && round === undefined) return undefined;
  return () => ({
    after: next === undefined || next === '' ? undefined : nameOr('invalid next token', next),
    prefix: prefix === '' ? '' : nameOr('invalid prefix', prefix),
    limit: Math.min(limit === 0n ? Infinity : Number(limit), maxBoxes || Infinity),
    withValues,
  });
}

interface NameLimits {
  /** As asked for; 0 if it was not. */
  readonly max: bigint;
  readonly maxBoxes: number;
}

function allNames(queries: Queries, id: bigint, { max, maxBoxes }: NameLimits): Answer {
  const names = queries.boxes.names(id);
  // algod asks its database for one name too many.
  const limit = Math.min(max === 0n ? Infinity : Number(max), maxBoxes === 0 ? Infinity : maxBoxes + 1);
  if (names.length > limit) {
    throw new DevnodeError('refused', 'Result limit exceeded', {
      data: { max, 'max-api-box-per-application': maxBoxes, 'total-boxes': names.length },
    });
  }
  return jsonAnswer({ boxes: names.map((name) => ({ name: byteStringBase64(name) })) });
}

function boxesAt(queries: Queries, round: bigint | undefined): Boxes {
  if (round === undefined) return queries.boxes;
  if (round > queries.latestRound) throw refused('given round is greater than the latest round');
  const boxes = queries.boxesAt(round);
  if (boxes !== undefined) return boxes;
  throw refused('given round is no longer available; use a more recent round');
}

interface BoxPage {
  readonly after: string | undefined;
  readonly prefix: string;
  readonly limit: number;
  readonly withValues: boolean;
  readonly round: bigint;
}

function pageAnswer(boxes: Boxes, id: bigint, { after, prefix, limit, withValues, round }: BoxPage): Answer {
  const wanted = boxes.names(id).filter((name) => name.startsWith(prefix) && (after === undefined || name > after));
  const page: Json[] = [];
  let bytes = 0;
  for (const name of wanted.slice(0, limit)) {
    const content = withValues ? boxes.content(id, name) : undefined;
    bytes += BYTES_PER_BOX + name.length + (content?.length ?? 0);
    if (bytes > MAX_PAGE_BYTES && page.length > 0) break;
    page.push({ name: byteStringBase64(name), value: content && encodeBase64(content) });
  }
  const last = wanted[page.length - 1];
  return jsonAnswer({
    boxes: page,
    'next-token': last !== undefined && page.length < wanted.length ? `b64:${byteStringBase64(last)}` : undefined,
    round,
  });
}

function nameOr(problem: string, text: string): string {
  try {
    return parseBoxName(text);
  } catch (error) {
    if (error instanceof DevnodeError) throw refused(`${problem}: ${error.message}`);
    throw error;
  }
}

function boxAnswer(queries: Queries, id: bigint, name: string): Answer {
  const content = queries.boxes.content(id, name);
  if (content === undefined) throw notFound('box not found');
  return jsonAnswer({ name: byteStringBase64(name), round: queries.latestRound, value: encodeBase64(content) });
}
