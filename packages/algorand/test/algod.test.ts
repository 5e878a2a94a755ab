import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type AlgodClient, createAlgodClient } from '../src/algod.ts';
import { decodeMsgpack } from '../src/msgpack.ts';
import { decodeSignedTransaction, encodeSignedTransaction } from '../src/signed-transaction.ts';
import { ACCOUNT_1, ACCOUNT_2, bytesOfBase64, codeOf } from './keys.ts';
import { recorded, startRecordedAlgod, startServer, type TestServer, TOKEN } from './recorded-algod.ts';

const GENESIS_HASH = bytesOfBase64('4olnn3SKfmssvI7vA5Awe1b1FTNwwEhWGtC83mWSK9Y=');
const ALICE = 'QJTBOVNTJ3A667ZK6QEVEQYBWFRKJFY7GOMY2Y2MHOB6R5NCMVTBWUALB4';

const client = (server: TestServer, options: Partial<Parameters<typeof createAlgodClient>[0]> = {}): AlgodClient =>
  createAlgodClient({ url: server.url, token: TOKEN, ...options });

/** The address, round or id that a recorded request asks for. */
const lastPart = (name: string): string => recorded(name).path.replace(/\?.*/, '').split('/').at(-1) ?? '';

const signedPayment = encodeSignedTransaction({
  txn: {
    type: 'pay',
    sender: ACCOUNT_1.address,
    receiver: ACCOUNT_2.address,
    amount: 1n,
    fee: 1000n,
    firstValid: 1n,
    lastValid: 2n,
    genesisHash: GENESIS_HASH,
  },
});

describe('what a real algod answered is read', () => {
  test('suggested parameters', async () => {
    await using server = await startRecordedAlgod(['suggested parameters']);
    expect(await client(server).params()).toEqual({
      fee: 0n,
      minFee: 1000n,
      genesisId: 'dockernet-v1',
      genesisHash: GENESIS_HASH,
      lastRound: 0n,
      consensusVersion: 'https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f',
    });
  });

  test('status, and the status that waiting for a block ends with', async () => {
    await using server = await startRecordedAlgod(['status', 'wait']);
    expect(await client(server).status()).toMatchObject({ lastRound: 0n, catchupTimeNs: 0n });
    expect(await client(server).waitForBlockAfter(0n)).toMatchObject({ lastRound: expect.any(BigInt) });
  });

  test('genesis, versions and health', async () => {
    await using server = await startRecordedAlgod(['genesis', 'versions', 'health']);
    expect(await client(server).genesis()).toBe(recorded('genesis').body);
    expect(await client(server).versions()).toEqual({
      genesisId: 'dockernet-v1',
      genesisHash: GENESIS_HASH,
      versions: ['v2'],
    });
    await expect(client(server).health()).resolves.toBeUndefined();
  });

  test('an account, and one that is rekeyed', async () => {
    await using server = await startRecordedAlgod(['account', 'rekeyed account']);
    expect(await client(server).account(ALICE)).toEqual({
      address: ALICE,
      amount: 999998759423n,
      minBalance: 200000n,
      round: 18n,
    });
    expect(await client(server).account(lastPart('rekeyed account'))).toMatchObject({
      authAddress: 'QBEG4IWL3Q52OMBC4NBIITABNHLV2XHH3HDAUYTVW4W4I3SJCDP5F6ZQP4',
    });
  });

  test('a holding, and that there is none', async () => {
    await using server = await startRecordedAlgod(['frozen holding', 'no holding']);
    const holder = '5AN3FGQ7N25TKLT3SHPQK4P3FK22D7NKMA3OKVCWVFYHAOP4Z4TJ76H6YU';
    expect(await client(server).accountAsset(holder, 1002n)).toEqual({ amount: 2000000n, isFrozen: true });
    const [, , , other = '', , id = ''] = recorded('no holding').path.split('/');
    expect(await client(server).accountAsset(other, BigInt(id))).toBeUndefined();
  });

  test('all holdings with their parameters, at once and in pages', async () => {
    const names = ['holdings with their parameters', 'first page of holdings', 'last page of holdings'];
    await using server = await startRecordedAlgod(names);
    const holder = 'FXGSNOPAR3ZAU2WGXQY5KOFDOAVAQKFMRQC5BEV7LCCQ4KKQB3WRCU3VIU';
    const all = await client(server).accountHoldings(holder);
    expect([all.round, all.holdings.length, all.next]).toEqual([18n, 6, undefined]);
    expect(all.holdings[1]).toEqual({
      assetId: 1020n,
      amount: 101n,
      isFrozen: false,
      params: {
        creator: holder,
        total: 101n,
        decimals: 1,
        defaultFrozen: false,
        name: bytesOfBase64('TjE='),
        unitName: bytesOfBase64('VTE='),
      },
    });
    const first = await client(server).accountHoldings(holder, { limit: 2 });
    expect(first).toEqual({ holdings: all.holdings.slice(0, 2), next: '1020', round: 18n });
    const last = { holdings: all.holdings.slice(4), round: 18n };
    expect(await client(server).accountHoldings(holder, { limit: 2, next: '1022' })).toEqual(last);
  });

  test('an asset, and that there is none', async () => {
    await using server = await startRecordedAlgod([
      'asset with everything set',
      'asset with some set',
      'destroyed asset',
    ]);
    expect(await client(server).asset(1002n)).toEqual({
      assetId: 1002n,
      creator: ALICE,
      total: 1000000000000n,
      decimals: 6,
      defaultFrozen: false,
      name: 'Test Dollar',
      unitName: 'TUSD',
    });
    expect(await client(server).asset(1022n)).toMatchObject({ decimals: 3, total: 103n });
    expect(await client(server).asset(1012n)).toBeUndefined();
  });

  test('a transaction confirmed, waiting, unknown, and one that made an asset', async () => {
    const names = ['confirmed transaction', 'transaction in the pool', 'unknown transaction', 'asset creation'];
    await using server = await startRecordedAlgod(names);
    const algod = client(server);
    expect(await algod.pendingTransaction(lastPart('confirmed transaction'))).toEqual({
      confirmedRound: 1n,
      poolError: '',
    });
    expect(await algod.pendingTransaction(lastPart('transaction in the pool'))).toEqual({ poolError: '' });
    expect(await algod.pendingTransaction(lastPart('unknown transaction'))).toBeUndefined();
    expect(await algod.pendingTransaction(lastPart('asset creation'))).toEqual({
      confirmedRound: 2n,
      poolError: '',
      assetIndex: 1002n,
    });
  });

  test('a block and the ids in it', async () => {
    await using server = await startRecordedAlgod(['block', 'block ids']);
    const block = (await client(server).block(1n)).get('block') as ReadonlyMap<string, unknown>;
    expect(block.get('rnd')).toBe(1n);
    expect(block.get('txns')).toHaveLength(5);
    expect(await client(server).blockTransactionIds(1n)).toHaveLength(5);
  });

  test('a submission', async () => {
    await using server = await startRecordedAlgod(['submission', 'asynchronous submission']);
    expect(await client(server).sendRawTransaction(signedPayment)).toEqual({
      txId: 'UFX7RMJZDW4WHPJIT7HMVUEHXIQYP5JVPTTS64V5MZWENDIWHZEA',
    });
    expect(await client(server).sendRawTransactionAsync(signedPayment)).toBeUndefined();
    expect(server.requests).toMatchObject([
      { method: 'POST', contentType: 'application/x-binary', token: TOKEN, body: Buffer.from(signedPayment) },
      { method: 'POST', contentType: 'application/x-binary', token: TOKEN, body: Buffer.from(signedPayment) },
    ]);
  });

  test('a simulation that would succeed and one that would fail', async () => {
    await using good = await startRecordedAlgod(['simulation that succeeds']);
    expect(await client(good).simulate({ transactions: [signedPayment] })).toEqual({
      lastRound: 0n,
      wouldSucceed: true,
    });
    await using bad = await startRecordedAlgod(['simulation that fails']);
    expect(await client(bad).simulate({ transactions: [signedPayment] })).toMatchObject({
      lastRound: 4n,
      wouldSucceed: false,
      failureMessage: expect.stringContaining('signedtxn has no sig'),
      failedAt: [0],
    });
  });
});

describe('what is sent', () => {
  test('a simulation is canonical msgpack with the members as they are', async () => {
    await using server = await startRecordedAlgod(['simulation that succeeds']);
    await client(server).simulate({
      transactions: [signedPayment, signedPayment],
      allowEmptySignatures: true,
      fixSigners: true,
      round: 7n,
    });
    const [request] = server.requests;
    expect(request?.contentType).toBe('application/msgpack');
    const body = decodeMsgpack(request?.body ?? new Uint8Array());
    const member = decodeMsgpack(signedPayment);
    expect([...(body as ReadonlyMap<string, unknown>)]).toEqual([
      ['allow-empty-signatures', true],
      ['fix-signers', true],
      ['round', 7n],
      ['txn-groups', [new Map([['txns', [member, member]]])]],
    ]);
    expect(decodeSignedTransaction(signedPayment).signature).toBeUndefined();
  });

  test('the curve check is skipped only when asked for', async () => {
    await using server = await startServer((_, response) => response.end('{"txId":"X"}'));
    await client(server).sendRawTransaction(signedPayment, { skipPqAddressCheck: true });
    await client(server).sendRawTransactionAsync(signedPayment, { skipPqAddressCheck: true });
    await client(server).sendRawTransaction(signedPayment, { skipPqAddressCheck: false });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v2/transactions?skip-pq-address-check=true',
      '/v2/transactions/async?skip-pq-address-check=true',
      '/v2/transactions',
    ]);
  });

  test('a path in the URL stays in front of every route', async () => {
    await using server = await startRecordedAlgod(['status'], '/x402/algod');
    const algod = createAlgodClient({ url: `${server.url}/x402/algod//`, token: TOKEN });
    expect(algod.url).toBe(`${server.url}/x402/algod`);
    await expect(algod.status()).resolves.toBeDefined();
  });

  test('an empty token is not sent, one from a file loses its line break', async () => {
    await using server = await startRecordedAlgod(['health']);
    await createAlgodClient({ url: server.url, token: '' }).health();
    await createAlgodClient({ url: server.url }).health();
    await createAlgodClient({ url: server.url, token: `${TOKEN}\n` }).health();
    expect(server.requests.map(({ token }) => token)).toEqual([undefined, undefined, TOKEN]);
  });

  test('an id can’t break out of its place in the path', async () => {
    await using server = await startRecordedAlgod([]);
    await client(server)
      .pendingTransaction('../../x?y#z')
      .catch(() => undefined);
    expect(server.requests[0]?.url).toBe('/v2/transactions/pending/..%2F..%2Fx%3Fy%23z?format=msgpack');
  });
});

describe('integers', () => {
  test('of 64 bits arrive whole', async () => {
    const holding = '{"asset-holding":{"amount":18446744073709551615,"asset-id":1,"is-frozen":false},"round":3}';
    await using server = await startServer((_, response) => response.end(holding));
    expect(await client(server).accountAsset(ALICE, 1n)).toEqual({ amount: 18446744073709551615n, isFrozen: false });
  });

  test.each(['18446744073709551616', '-1', '1.5', '1e3', '"5"', 'null', '100000000000000000000'])(
    'an amount of %s is no answer',
    async (amount) => {
      const holding = `{"asset-holding":{"amount":${amount},"is-frozen":false}}`;
      await using server = await startServer((_, response) => response.end(holding));
      await expect(client(server).accountAsset(ALICE, 1n)).rejects.toMatchObject({ code: 'algod_bad_answer' });
    },
  );
});

describe('when something goes wrong', () => {
  test('a refusal has the status and the reason of algod', async () => {
    await using server = await startRecordedAlgod(['overspend']);
    await expect(client(server).sendRawTransaction(signedPayment)).rejects.toMatchObject({
      code: 'algod_refused',
      status: 400,
      reason: expect.stringMatching(/^TransactionPool\.Remember: transaction .* overspend /),
    });
  });

  test('a wrong token and a route switched off are refusals with their texts', async () => {
    await using wrongToken = await startRecordedAlgod(['wrong token']);
    await expect(client(wrongToken).sendRawTransactionAsync(signedPayment)).rejects.toMatchObject({
      code: 'algod_refused',
      status: 401,
      reason: 'Invalid API Token',
      message: expect.stringMatching(/Invalid API Token; .* algod\.token /),
    });
    await using off = await startRecordedAlgod(['asynchronous submission switched off']);
    await expect(client(off).sendRawTransactionAsync(signedPayment)).rejects.toMatchObject({
      status: 404,
      reason: expect.stringContaining('EnableDeveloperAPI'),
    });
  });

  test('a 404 of another kind never passes for "there is none"', async () => {
    await using server = await startRecordedAlgod([]);
    const refused = { code: 'algod_refused', status: 404, reason: 'Not Found' };
    await expect(client(server).pendingTransaction('X')).rejects.toMatchObject(refused);
    await expect(client(server).accountAsset(ALICE, 1n)).rejects.toMatchObject(refused);
    await expect(client(server).asset(1n)).rejects.toMatchObject(refused);
  });

  test('nothing is sent twice, whatever the answer', async () => {
    for (const status of [429, 500, 503]) {
      await using server = await startServer((_, response) => response.writeHead(status).end('{"message":"busy"}'));
      await expect(client(server).sendRawTransaction(signedPayment)).rejects.toMatchObject({ status, reason: 'busy' });
      expect(server.requests).toHaveLength(1);
    }
    await using broken = await startServer((request) => request.socket.destroy());
    await expect(client(broken).sendRawTransaction(signedPayment)).rejects.toMatchObject({ code: 'algod_unreachable' });
    expect(broken.requests).toHaveLength(1);
  });

  test('no server at all is named with the cause of the system', async () => {
    const server = await startRecordedAlgod([]);
    await server[Symbol.asyncDispose]();
    const message = expect.stringMatching(/127\.0\.0\.1:\d+.*ECONNREFUSED/);
    const gone = { code: 'algod_unreachable', message, cause: { code: 'ECONNREFUSED' } };
    await expect(client(server).status()).rejects.toMatchObject(gone);
  });

  test('an answer that does not come, or never ends, is a timeout', async () => {
    await using silent = await startServer(() => undefined);
    await expect(client(silent, { timeoutMs: 30 }).status()).rejects.toMatchObject({ code: 'algod_timeout' });
    await using endless = await startServer((_, response) => void response.write('{"last-round":'));
    await expect(client(endless, { timeoutMs: 30 }).status()).rejects.toMatchObject({ code: 'algod_timeout' });
  });

  test('waiting for a block is not cut short by the time for a request', async () => {
    await using server = await startServer((_, response) => {
      setTimeout(() => response.end(recorded('wait').body), 100);
    });
    await expect(client(server, { timeoutMs: 30 }).waitForBlockAfter(0n)).resolves.toBeDefined();
  });

  test('a caller that aborts gets its own reason', async () => {
    await using server = await startServer(() => undefined);
    const controller = new AbortController();
    const reason = new Error('the user left');
    setTimeout(() => controller.abort(reason), 20);
    await expect(client(server).waitForBlockAfter(1n, { signal: controller.signal })).rejects.toBe(reason);
    await expect(client(server).params({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('an answer of more than 20 MB is not read to its end', async () => {
    await using server = await startServer((_, response) => {
      const chunk = Buffer.alloc(1_000_000, 32);
      const pump = (): void => {
        while (!response.destroyed && response.write(chunk)) continue;
        if (!response.destroyed) response.once('drain', pump);
      };
      pump();
    });
    await expect(client(server).genesis()).rejects.toMatchObject({ code: 'algod_bad_answer' });
  });

  test('a redirect is not followed, because it would take the token along', async () => {
    await using thief = await startRecordedAlgod(['status']);
    await using server = await startServer((_, response) =>
      response.writeHead(307, { Location: `${thief.url}/v2/status` }).end(),
    );
    await expect(client(server).status()).rejects.toMatchObject({ code: 'algod_unreachable' });
    expect(thief.requests).toHaveLength(0);
  });

  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['text for a round', '{"last-round":"1"}'],
    ['half an object', '{"last-round":1'],
    ['a hundred thousand open lists', '['.repeat(100_000)],
    ['a web page', '<html>'],
  ])('%s as an answer is algod_bad_answer', async (_, body) => {
    await using server = await startServer((_request, response) => response.end(body));
    await expect(client(server).status()).rejects.toMatchObject({ code: 'algod_bad_answer' });
  });

  test.each(['', 'c0', '80', '81aa706f6f6c2d6572726f7201', 'ff00'])(
    'the msgpack answer %j is algod_bad_answer',
    async (hex) => {
      await using server = await startServer((_, response) => response.end(Buffer.from(hex, 'hex')));
      await expect(client(server).pendingTransaction('X')).rejects.toMatchObject({ code: 'algod_bad_answer' });
      await expect(client(server).simulate({ transactions: [] })).rejects.toMatchObject({ code: 'algod_bad_answer' });
    },
  );
});

describe('options', () => {
  test.each([
    '',
    'localhost:4001',
    '127.0.0.1',
    'ftp://host',
    'http://user:pass@host',
    'http://host?x=1',
    'http://host#x',
  ])('the URL %j is refused', (url) => {
    expect(codeOf(() => createAlgodClient({ url }))).toBe('invalid_algod_options');
  });

  test('a token that no header can carry is refused, and not repeated', () => {
    const token = 'canary\r\nX-Other: 1';
    expect(codeOf(() => createAlgodClient({ url: 'http://host', token }))).toBe('invalid_algod_options');
    expect(() => createAlgodClient({ url: 'http://host', token })).not.toThrow('canary');
  });

  test('neither the token nor the path of the URL, which may hold a key, is in an error or in the client', async () => {
    await using server = await startServer((_, response) => response.writeHead(500).end('{}'));
    const algod = createAlgodClient({ url: `${server.url}/canary-path`, token: 'canary-token' });
    const error = await algod.status().catch((cause: unknown) => cause);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
    expect(inspect(algod, { depth: 10, showHidden: true })).not.toContain('canary-token');
  });
});
