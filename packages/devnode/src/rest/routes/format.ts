import { refused } from '../../errors.ts';
import { msgpackAnswer, writtenJsonAnswer, type Answer } from '../answer.ts';
import type { Document } from '../../codec/document.ts';
import { queryText } from '../parameter.ts';

export type Format = 'json' | 'msgpack';

/** The query parameter that chooses between JSON and msgpack. */
export const formatParameter = queryText('`json` (default), `msgpack` or `msgp`, in any case.');

/** Reads the `format` parameter. Refuses anything else with algod's text. */
export function parseFormat(format: string | undefined): Format {
  switch (format?.toLowerCase()) {
    case undefined:
    case 'json':
      return 'json';
    case 'msgpack':
    case 'msgp':
      return 'msgpack';
    default:
      throw refused('failed to parse the format option');
  }
}

export function documentAnswer(document: Document, format: Format): Answer {
  return format === 'json' ? writtenJsonAnswer(document.toJson()) : msgpackAnswer(document.toMsgpack());
}
