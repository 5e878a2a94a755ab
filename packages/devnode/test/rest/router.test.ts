import { describe, expect, test } from 'vitest';
import { emptyAnswer } from '../../src/rest/answer.ts';
import { route, type Method } from '../../src/rest/route.ts';
import { createRouter } from '../../src/rest/router.ts';

const declared: readonly (readonly [Method, string])[] = [
  ['GET', '/v2/status'],
  ['GET', '/v2/assets/:id'],
  ['GET', '/v2/accounts/:address'],
  ['GET', '/v2/accounts/:address/assets/:id'],
  ['GET', '/v2/deltas/:round'],
  ['GET', '/v2/deltas/:round/txn/group'],
  ['GET', '/v2/deltas/txn/group/:id'],
  ['DELETE', '/v2/catchup/:label'],
  ['POST', '/v2/catchup/:label'],
  ['GET', '/v2/offset'],
  ['POST', '/v2/offset/:value'],
];
const router = createRouter(
  declared.map(([method, path]) => route({ method, path, summary: '', handle: () => emptyAnswer() })),
);

function found(method: string, path: string): unknown {
  const match = router.find(method, path);
  return match.kind === 'route' ? [match.route.path, Object.fromEntries(match.values)] : match;
}

describe('the router', () => {
  test('gives a last parameter without longer routes the rest of the path', () => {
    expect(found('GET', '/v2/assets/1/2')).toEqual(['/v2/assets/:id', { id: '1/2' }]);
    expect(found('GET', '/v2/accounts/A/assets/1/2')).toEqual([
      '/v2/accounts/:address/assets/:id',
      { address: 'A', id: '1/2' },
    ]);
  });

  test('knows no tail where longer routes exist', () => {
    expect(found('GET', '/v2/accounts/A/zz')).toEqual({ kind: 'unknown' });
    expect(found('GET', '/v2/status/zz')).toEqual({ kind: 'unknown' });
  });

  test('prefers a fixed segment and falls back to a parameter', () => {
    expect(found('GET', '/v2/deltas/txn/group/X')).toEqual(['/v2/deltas/txn/group/:id', { id: 'X' }]);
    expect(found('GET', '/v2/deltas/7/txn/group')).toEqual(['/v2/deltas/:round/txn/group', { round: '7' }]);
    expect(found('GET', '/v2/deltas/txn')).toEqual(['/v2/deltas/:round', { round: 'txn' }]);
    expect(found('GET', '/v2/deltas/txn/group')).toEqual({ kind: 'unknown' });
  });

  test('tells a known path with another method, with its methods in algod’s order', () => {
    expect(found('GET', '/v2/catchup/x')).toEqual({ kind: 'wrong-method', allow: 'OPTIONS, DELETE, POST' });
    expect(found('PATCH', '/v2/status')).toEqual({ kind: 'wrong-method', allow: 'OPTIONS, GET' });
    expect(found('GET', '/v2/offset/5')).toEqual({ kind: 'wrong-method', allow: 'OPTIONS, POST' });
    expect(found('GET', '/')).toEqual({ kind: 'wrong-method', allow: 'OPTIONS' });
  });

  test('takes an empty parameter inside a path, but not at its end, and no empty fixed segment', () => {
    expect(found('GET', '/v2/accounts//assets/1')).toEqual([
      '/v2/accounts/:address/assets/:id',
      { address: '', id: '1' },
    ]);
    expect(found('GET', '/v2/assets')).toEqual({ kind: 'unknown' });
    expect(found('GET', '/v2//status')).toEqual({ kind: 'unknown' });
    expect(found('GET', '/V2/status')).toEqual({ kind: 'unknown' });
  });

  test('has no route named like a member of every object', () => {
    expect(found('GET', '/__proto__')).toEqual({ kind: 'unknown' });
    expect(found('constructor', '/v2/status')).toEqual({ kind: 'wrong-method', allow: 'OPTIONS, GET' });
  });
});
