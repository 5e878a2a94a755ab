// Answers that were seen from a real algod, beside the recordings of test/vectors.
import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';

const ADMIN_TOKEN = 'b'.repeat(64);
const TOO_LARGE = String(2n ** 63n);
const ID = 'A'.repeat(52);
const LOOK_UP_FAILED = 'failed to retrieve information from the ledger';
const NO_ID = (text: string): string => `attempted to decode a string which was not a participation id: "${text}"`;

describe('what algod answers', () => {
  let node: Devnode;
  let address: string;
  beforeAll(async () => {
    node = await startDevnode({ port: 0, adminToken: ADMIN_TOKEN, config: { EnableTxnEvalTracer: true } });
    address = node.accounts.payer.address;
    await node.mine(3);
  });
  afterAll(() => node.stop());

  const send = async (method: string, path: string, body?: BodyInit): Promise<[number, string]> => {
    const headers = { 'X-Algo-API-Token': ADMIN_TOKEN };
    const answer = await fetch(node.url + path, { method, headers, ...(body !== undefined && { body }) });
    return [answer.status, await answer.text()];
  };
  const message = (text: string): string => `${JSON.stringify({ message: text })}\n`;

  test.each(['GET', 'DELETE'])('%s of a participation id that is too short, too long or an address', async (method) => {
    for (const id of ['A', 'A'.repeat(51), 'A'.repeat(53), address]) {
      expect(await send(method, `/v2/participation/${id}`)).toEqual([400, message(NO_ID(id))]);
    }
    expect((await send(method, `/v2/participation/${ID}`))[1]).not.toContain('attempted');
  });

  test('an application id beyond its database', async () => {
    const paths = [`/v2/applications/${TOO_LARGE}`, `/v2/accounts/${address}/applications/${TOO_LARGE}`];
    for (const path of paths) expect(await send('GET', path)).toEqual([500, message(LOOK_UP_FAILED)]);
    const largest = `/v2/applications/${2n ** 63n - 1n}`;
    expect(await send('GET', largest)).toEqual([404, message('application does not exist')]);
  });

  test('a holding of an asset id beyond its database', async () => {
    for (const format of ['json', 'msgpack']) {
      const path = (id: bigint): string => `/v2/accounts/${address}/assets/${id}?format=${format}`;
      expect(await send('GET', path(2n ** 63n))).toEqual([500, message(LOOK_UP_FAILED)]);
      expect((await send('GET', path(2n ** 63n - 1n)))[0]).toBe(404);
    }
  });

  test('catching up on a node that keeps all blocks', async () => {
    const label = `/v2/catchup/1000%23${'A'.repeat(52)}`;
    const refused = 'failed to start catchup : catching up using a catchpoint is not supported on archive nodes';
    expect(await send('POST', label)).toEqual([501, expect.stringContaining('nothing to catch up with')]);
    const archive = await startDevnode({ port: 0, adminToken: ADMIN_TOKEN, config: { Archival: true } });
    const headers = { 'X-Algo-API-Token': ADMIN_TOKEN };
    const answer = await fetch(archive.url + label, { method: 'POST', headers });
    expect([answer.status, await answer.text()]).toEqual([500, message(refused)]);
    await archive.stop();
  });

  test('a type that is no UTF-8', async () => {
    const body = Uint8Array.from(
      new MsgpackWriter()
        .mapHeader(1)
        .text('txn')
        .mapHeader(1)
        .text('type')
        .textBytes(Uint8Array.of(0x70, 0xff, 0xe2, 0x82))
        .toBytes(),
    );
    const [status, text] = await send('POST', '/v2/transactions', body);
    expect([status, text]).toEqual([400, expect.stringContaining(String.raw`unknown tx type p\ufffd\ufffd\ufffd"`)]);
  });

  test('a number of boxes that is none', async () => {
    const problem = 'error binding string parameter: strconv.ParseUint: parsing "x": invalid syntax';
    const answer = await send('GET', '/v2/applications/5/boxes?max=x');
    expect(answer).toEqual([400, message(`Invalid format for parameter max: ${problem}`)]);
    expect(await send('GET', '/v2/applications/5/boxes?max=7')).toEqual([200, '{"boxes":[]}\n']);
  });

  test('a bad format and a bad id of a group delta: the format', async () => {
    const answer = await send('GET', '/v2/deltas/txn/group/abc?format=x');
    expect(answer).toEqual([400, message('failed to parse the format option')]);
  });

  test('a delta above the last, from a node that keeps all blocks', async () => {
    await node.mine(7);
    const answer = await send('GET', '/v2/deltas/11');
    expect(answer).toEqual([404, message('failed retrieving State Delta: round 11 too high: dbRound 0, deltas 10')]);
  });

  const submitted = async (bytes: Uint8Array): Promise<string> =>
    (await send('POST', '/v2/transactions', Buffer.from(bytes)))[1];
  const signed = (write: (writer: MsgpackWriter) => MsgpackWriter): Uint8Array =>
    write(new MsgpackWriter().mapHeader(1)).toBytes();

  test('an unsigned integer of one byte where a boolean is wanted', async () => {
    const bytes = signed((writer) => writer.text('txn').mapHeader(1).text('afrz').raw(Uint8Array.of(0xcc, 1)));
    const problem = 'cannot decode bool: unrecognized descriptor byte: cc/uint';
    expect(await submitted(bytes)).toBe(message(`msgpack decode error [pos 12]: ${problem}`));
  });

  test('a text where the subsignatures of a multisig are wanted', async () => {
    const bytes = signed((writer) => writer.text('msig').mapHeader(1).text('subsig').text('abc'));
    const problem = 'bytes/string in stream must decode into slice/array of bytes, not []crypto.MultisigSubsig';
    expect(await submitted(bytes)).toBe(message(`msgpack decode error [pos 15]: ${problem}`));
  });

  test('an unknown key that is no text: each byte that is part of no character is U+FFFD', async () => {
    // A character, its beginning alone, and two bytes that begin nothing.
    const key = Uint8Array.of(0xe2, 0x82, 0xac, 0xe2, 0x82, 0xff, 0xc0, 0x61);
    const bytes = signed((writer) => writer.bytes(key).integer(1n));
    const problem = 'no matching struct field found when decoding stream map with key €';
    const shown = message(`msgpack decode error [pos 11]: ${problem}`).replace(
      '€',
      String.raw`€\ufffd\ufffd\ufffd\ufffda`,
    );
    expect(await submitted(bytes)).toBe(shown);
  });

  const simulated = async (body: BodyInit): Promise<string> =>
    (await send('POST', '/v2/transactions/simulate', body))[1];

  test('an extra budget of 2^64 - 1 in msgpack: -1, which is no more than it allows', async () => {
    const budgetRequest = (budget: bigint): BodyInit => {
      const writer = new MsgpackWriter().mapHeader(3).text('allow-empty-signatures').boolean(true);
      writer.text('extra-opcode-budget').integer(budget).text('txn-groups').arrayHeader(1).mapHeader(1);
      return Buffer.from(writer.text('txns').arrayHeader(1).mapHeader(1).text('txn').mapHeader(0).toBytes());
    };
    expect(await simulated(budgetRequest(2n ** 64n - 1n))).toContain('"extra-opcode-budget": -1');
    expect(await simulated(budgetRequest(5n))).toContain('"extra-opcode-budget": 5');
  });

  test.each([
    ['{"txn-groups":[}', "json decode error [pos 16]: read array end - expect char ']' but got char '}'"],
    ['{"txn-groups":[]]', "json decode error [pos 17]: read map end - expect char '}' but got char ']'"],
    ['{"txn-groups":[{}{}]', "json decode error [pos 18]: read array element - expect char ',' but got char '{'"],
    [
      '{"round":9223372036854775808,"extra-opcode-budget":9223372036854775808}',
      'json decode error [pos 70]: overflow parsing integer: 9223372036854775808',
    ],
    ['\0', 'EOF'],
    ['{\0', 'EOF'],
    ['\0{}', undefined],
  ])('JSON that is none: %j', async (json, problem) => {
    const expected =
      problem === undefined ? 'expected 1 transaction group, got 0' : `failed to decode object: ${problem}`;
    expect(await simulated(json)).toBe(message(expected));
  });

  test('rates of a profiler that is off', async () => {
    expect(await send('GET', '/debug/settings/pprof')).toEqual([200, '{"block-rate":0,"mutex-rate":0}\n']);
    expect((await send('PUT', '/debug/settings/pprof', '{"block-rate":1}'))[0]).toBe(501);
  });
});
