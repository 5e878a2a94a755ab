import { describe, expect, test } from 'vitest';
import { firstDifference, msgpackAsText } from './replay/difference.ts';
import { oneByteChanged } from './replay/changed.ts';
import { mismatches } from './replay/mismatch.ts';
import { RANDOM_SCENARIOS } from './replay/random.ts';
import { readScenario, scenarioNames, vectorHashes, type Exchange } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

/** Exchanges of each recorded scenario but the random ones; the suite is worth nothing if some are left out. */
const RECORDED = {
  'async-basic': 100,
  'async-nodev': 25,
  'async-noexp': 25,
  'async-pqcheck-refusals': 54,
  'async-pqfalcon-refusals': 34,
  'codec-lenient': 214,
  'codec-structures-refusals': 132,
  'ed25519-edges': 156,
  'ed25519-groups-refusals': 79,
  pay: 62,
  'rest-accounts': 79,
  'rest-admin': 70,
  'rest-assets': 96,
  'rest-blocks': 124,
  'rest-common': 68,
  'rest-config-limits': 32,
  'rest-config-localnet': 34,
  'rest-config-noauth': 36,
  'rest-config-nodev': 35,
  'rest-config-tracer': 35,
  'rest-devmode': 81,
  'rest-pending': 105,
  'rest-transport': 104,
  'sim-json': 57,
  'sim-lsig-refusals': 29,
  'sim-nodevapi': 19,
  'sim-options': 96,
  'sim-outcomes': 92,
  'sim-x402': 70,
  'tx-appl': 64,
  'tx-asset-admin': 131,
  'tx-asset-create': 94,
  'tx-asset-transfer': 135,
  'tx-close': 97,
  'tx-fee': 80,
  'tx-group': 65,
  'tx-keyreg': 96,
  'tx-lease': 58,
  'tx-lengths': 76,
  'tx-lsig-refusals': 65,
  'tx-minbalance': 110,
  'tx-multisig': 82,
  'tx-order': 73,
  'tx-pay': 76,
  'tx-rekey': 105,
  'tx-sig': 80,
  'tx-special': 78,
  'tx-types': 84,
  'tx-validity': 95,
  'tx-x402': 98,
} as const;

const TOTAL = 3985;

describe('the recordings', () => {
  test('are all here, unchanged', () => {
    const all = { ...RECORDED, ...RANDOM_SCENARIOS.payments };
    expect(scenarioNames('payments')).toEqual(Object.keys(all).sort());
    expect(Object.values(RECORDED).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
    const hashes = vectorHashes();
    expect(hashes).toHaveLength(146);
    expect(hashes.filter(({ expected, found }) => expected !== found)).toEqual([]);
  });
});

describe('a replay of what algod answered', () => {
  let compared = 0;

  test.each(Object.entries(RECORDED))('agrees with every answer of %s', async (name, count) => {
    const result = await replay(readScenario('payments', name));
    compared += result.compared;
    expect(result.mismatched.map(({ text }) => text).join('\n\n')).toBe('');
    expect(result.compared).toBe(count);
  });

  test(`compared all ${TOTAL} answers`, () => {
    console.log(`replayed and compared ${compared} recorded requests`);
    expect(compared).toBe(TOTAL);
  });
});

describe('the comparison itself', () => {
  test('finds one changed byte of one record', async () => {
    const scenario = readScenario('payments', 'tx-pay');
    const exchanges = scenario.exchanges.map((recorded) => (recorded.n === 3 ? oneByteChanged(recorded) : recorded));
    const { mismatched } = await replay({ ...scenario, exchanges });
    expect(mismatched.map(({ n }) => n)).toEqual([3]);
  });

  test('names the first member that differs, of JSON and of decoded msgpack', () => {
    const json = firstDifference('{"a":1,"fee":1000,"z":2}', '{"a":1,"fee":1001,"z":2}');
    expect(json).toMatch(/recorded "fee":1000,\n\s+ours {5}"fee":1001,$/);
    const [block = '', other = ''] = [0, 1].map((bit) => {
      const body = Buffer.from(msgpackExchange().response.bodyBase64 ?? '', 'base64');
      const at = body.indexOf('rwcalr') + 'rwcalr'.length + 4;
      body[at] = (body[at] ?? 0) ^ bit;
      return msgpackAsText(body);
    });
    expect(firstDifference(block, other)).toMatch(/recorded +rwcalr: 500000\n\s+ours +rwcalr: 500001$/);
  });

  test('finds one changed byte of a msgpack answer, a header, a status and a content type', () => {
    const recorded = { ...msgpackExchange(), n: 1 };
    const { response } = recorded;
    const answer = {
      status: response.status,
      contentType: response.contentType,
      headers: response.headers,
      body: Buffer.from(response.bodyBase64 ?? '', 'base64'),
    };
    expect(mismatches(recorded, answer)).toEqual([]);
    const changed = Buffer.from(answer.body);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(mismatches(recorded, { ...answer, body: changed })).toHaveLength(1);
    expect(mismatches(recorded, { ...answer, status: 201 })).toHaveLength(1);
    expect(mismatches(recorded, { ...answer, headers: { vary: 'Origin' } })).not.toEqual([]);
    expect(mismatches(recorded, { ...answer, contentType: 'text/plain' })).toHaveLength(1);
  });
});

function msgpackExchange(): Exchange {
  const found = readScenario('payments', 'rest-blocks').exchanges.find(
    ({ response }) => response.bodyBase64 !== undefined,
  );
  if (!found) throw new Error('no msgpack answer in rest-blocks');
  return found;
}
