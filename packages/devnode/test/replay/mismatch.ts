import { gunzipSync } from 'node:zlib';
import type { Answer } from './exchange.ts';
import { firstDifference, msgpackAsText } from './difference.ts';
import { normaliseContentType, normaliseMsgpack, normaliseText } from './normalise.ts';
import type { Exchange, RecordedResponse } from './recording.ts';
import { sortedJson, sortedMsgpack } from './unordered.ts';

/** What differs between a recorded answer and ours, in lines to read; empty when they are equal. */
export function mismatches(recorded: Exchange, answer: Answer): string[] {
  const { response } = recorded;
  const found = [...statusMismatches(response, answer), ...headerMismatches(response, answer)];
  if (recorded.unordered) found.push(...bodyMismatches(sortedResponse(response), sortedAnswer(answer)));
  else if (recorded.compare !== 'status') found.push(...bodyMismatches(response, answer));
  return found;
}

function sortedResponse(response: RecordedResponse): RecordedResponse {
  const { body, bodyBase64 } = response;
  if (bodyBase64 === undefined) return { ...response, body: sortedJson(body ?? '{}') };
  return { ...response, bodyBase64: sortedMsgpack(Buffer.from(bodyBase64, 'base64')).toString('base64') };
}

function sortedAnswer(answer: Answer): Answer {
  if (answer.contentType?.includes('msgpack')) return { ...answer, body: sortedMsgpack(answer.body) };
  return { ...answer, body: Buffer.from(sortedJson(answer.body.toString('utf8'))) };
}

function statusMismatches(response: RecordedResponse, answer: Answer): string[] {
  const found: string[] = [];
  if (response.status !== answer.status) {
    found.push(`status: recorded ${response.status}, ours ${answer.status} ${preview(answer)}`);
  }
  if (normaliseContentType(response.contentType) !== normaliseContentType(answer.contentType)) {
    found.push(`content type: recorded ${response.contentType}, ours ${answer.contentType}`);
  }
  return found;
}

function preview({ body }: Answer): string {
  return JSON.stringify(body.subarray(0, 300).toString('utf8'));
}

function headerMismatches(response: RecordedResponse, answer: Answer): string[] {
  return Object.entries(response.headers)
    .filter(([name, value]) => answer.headers[name] !== value)
    .map(([name, value]) => `header ${name}: recorded ${value}, ours ${answer.headers[name]}`);
}

function bodyMismatches(response: RecordedResponse, answer: Answer): string[] {
  if (response.bodyOmitted) return [];
  if (response.bodyBase64 !== undefined)
    return msgpackMismatches(Buffer.from(response.bodyBase64, 'base64'), answer.body);
  const body = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.body) : answer.body;
  const found = normaliseText(body.toString('utf8'));
  if (response.bodyStartsWith !== undefined) {
    return found.startsWith(response.bodyStartsWith) ? [] : [firstDifference(response.bodyStartsWith, found)];
  }
  const expected = normaliseText(response.body ?? '');
  return expected === found ? [] : [firstDifference(expected, found)];
}

function msgpackMismatches(recorded: Buffer, ours: Buffer): string[] {
  const expected = normaliseMsgpack(recorded);
  const found = normaliseMsgpack(ours);
  if (expected.equals(found)) return [];
  const [expectedText, foundText] = [msgpackAsText(expected), msgpackAsText(found)];
  if (expectedText !== foundText) return [firstDifference(expectedText, foundText)];
  return [
    `msgpack of equal values, other bytes:\n  recorded ${expected.toString('hex')}\n  ours     ${found.toString('hex')}`,
  ];
}
