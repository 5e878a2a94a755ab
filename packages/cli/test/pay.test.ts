import { describe, expect, it } from 'vitest';
import { LOCALNET } from '@avm402/algorand/networks';
import { algorandNetwork } from '@avm402/core/network';
import { startDevnode } from '@avm402/devnode';
import { accounts } from '../../client/test/chain.ts';
import { paidAnswers, refused, settledOn, type PaidAnswer } from '../../client/test/paid-answers.ts';
import { asking, merchant, network, receipt } from '../../client/test/seller.ts';
import { payer, useStage } from '../../client/test/stage.ts';
import { environmentOn, payOn } from './pay-on.ts';
import { run } from './run.ts';

const stage = useStage();
const settled = settledOn(stage);

const environment = environmentOn(stage);
const pay = payOn(stage);

const looksForReason = (url: string): string => `avm402 doctor ${url} looks for the reason, and pays nothing\n`;

describe('avm402 pay', () => {
  it('writes the body alone to stdout, says on stderr what was paid, and exits 0', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const { code, stdout, stderr } = await pay([seller.url]);
    const [txId] = seller.payments();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"report":"sunny"}' });
    const lines = stderr.split('\n');
    expect(lines[0]).toContain('$0.01 (asset 10458941)');
    expect(lines[1]).toContain(`to ${merchant}`);
    expect(stderr).toContain(`from ${payer.address}, fee sponsored`);
    expect(stderr).toMatch(/group [A-Za-z0-9+/]{43}=/);
    expect(stderr).toContain(`${txId}  the payment`);
    expect(stderr).toContain(`settlement  ${txId} confirmed on ${network}`);
    expect(stderr).toContain('HTTP 200 OK\n');
  });

  it("drops what a terminal would obey from a body that it shows, and from the seller's texts", async () => {
    const evil = '{"report":"a\u001B[2Jbc"}';
    const seller = await stage.sellerThat(async (seen, all) => ({
      ...(await stage.honest(seen, all)),
      ...(seen.payment && { body: evil }),
    }));
    expect((await pay([seller.url])).stdout).toBe(evil);
    expect((await pay([seller.url], { showsStdout: true })).stdout).toBe('\n{"report":"a[2Jbc"}\n');
  });

  it('prints one JSON object with --json', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const { code, stdout } = await pay([seller.url, '--json']);
    const [txId] = seller.payments();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 200,
      offer: { price: '$0.01', amount: '10000', payTo: merchant },
      payment: { txId, groupTxIds: [expect.any(String), txId], amount: '10000', fee: '0', payer: payer.address },
      settlement: { success: true, transaction: txId },
      body: { report: 'sunny' },
    });
  });

  it('sends method, headers and body as curl does', async () => {
    const seller = await stage.sellerThat(stage.honest);
    await pay([seller.url, '-H', 'X-Mine: a: b', '-d', 'a=1']);
    await pay([seller.url, '-X', 'PUT', '-d', '@-', '-H', 'content-type: text/plain'], { input: 'from stdin' });
    expect(seller.seen[1]).toMatchObject({
      method: 'POST',
      body: 'a=1',
      headers: { 'x-mine': 'a: b', 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(seller.seen[3]).toMatchObject({
      method: 'PUT',
      body: 'from stdin',
      headers: { 'content-type': 'text/plain' },
    });
  });

  it("drops control characters from the seller's texts", async () => {
    const seller = await stage.sellerThat(async (seen, all) =>
      seen.payment
        ? stage.honest(seen, all)
        : asking([{}], { resource: { url: 'http://x.example', description: 'a\u001B[2Jb\u202Ec', mimeType: '' } }),
    );
    const { stderr } = await pay([seller.url]);
    expect(stderr).toContain(': a[2Jbc\n');
  });
});

describe('what costs nothing', () => {
  it('is printed, with exit code 0 and a word that nothing was paid', async () => {
    const seller = await stage.sellerThat(() => ({}));
    expect(await pay([seller.url])).toEqual({
      code: 0,
      stdout: '{"report":"sunny"}',
      stderr: 'HTTP 200 OK\nnothing had to be paid\n',
    });
  });

  it('is the same in JSON', async () => {
    const seller = await stage.sellerThat(() => ({ status: 201 }));
    const { code, stdout } = await pay([seller.url, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ status: 201, body: { report: 'sunny' }, message: 'nothing had to be paid' });
  });
});

describe('what was paid for is not lost', () => {
  it('an answer that breaks off is asked for again with the same payment', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        async (payment) => ({ ...(await settled(payment)), cut: 'within' }),
        async (payment) => ({ ...(await settled(payment)), cut: 'within' }),
        settled,
      ),
    );
    const { code, stdout, stderr } = await pay([seller.url]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"report":"sunny"}' });
    expect(stderr.match(/^payment/gm)).toHaveLength(1);
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });

  it('an answer that breaks off again and again is told with its payment', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => ({ ...(await settled(payment)), cut: 'within' })),
    );
    const { code, stderr } = await pay([seller.url]);
    expect(code).toBe(4);
    expect(stderr).toContain(`payment ${seller.payments()[0]} settled, but the resource did not answer\n`);
    expect(await stage.chain.confirmed()).toHaveLength(1);
  });

  it('an answer that breaks off keeps its receipt, whatever is answered to the same payment afterwards', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(
        async (payment) => {
          const answer = await settled(payment);
          await stage.chain.stop();
          return { ...answer, cut: 'within' };
        },
        () => refused('duplicate_payment')(),
      ),
    );
    expect(await pay([seller.url])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        new RegExp(
          `settlement  ${seller.payments()[0]} confirmed on ${network}[^]*\npayment ${seller.payments()[0]} settled, but the resource answered 402\n$`,
        ),
      ),
    });
  });

  it('a receipt is not believed against the own node, which has seen the payment expire', async () => {
    let clock = Date.now();
    const seller = await stage.sellerThat(
      paidAnswers(
        (payment) => ({ headers: receipt(payment), cut: 'within' }),
        async () => {
          await stage.chain.mine(33);
          clock += 60_000;
          return { cut: 'before' };
        },
      ),
    );
    const { code, stderr } = await pay([seller.url], { now: () => clock });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('no payment settled, no answer\n') });
  });

  it('an answer that costs nothing and breaks off is not asked for again', async () => {
    const seller = await stage.sellerThat(() => ({ cut: 'within' }));
    expect(await pay([seller.url, '-d', 'order'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^request_failed/),
    });
    expect(seller.seen).toHaveLength(1);
  });
});

describe('the last words', () => {
  it('no payment settled, status N: nothing was asked for', async () => {
    const seller = await stage.sellerThat(() => ({ status: 404 }));
    expect(await pay([seller.url])).toMatchObject({
      code: 3,
      stderr: `HTTP 404 Not Found\n${looksForReason(seller.url)}no payment settled, status 404\n`,
    });
  });

  it('outcome of TXID not yet known: the resource answered without a receipt', async () => {
    const seller = await stage.sellerThat(paidAnswers(() => ({})));
    const { code, stdout, stderr } = await pay([seller.url]);
    const txId = seller.payments()[0];
    const how = `GET /v2/transactions/pending/${txId} of your algod names its confirmed-round once it is in a block`;
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `HTTP 200 OK\n${how}\noutcome of ${txId} not yet known, status 200; do not pay again\n`,
      ),
    });
    expect(stdout).toBe('{"report":"sunny"}');
  });

  it('payment TXID settled, but the resource answered N: it gave no receipt, the own node knows', async () => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.settle(payment);
        return { status: 502, headers: { 'Retry-After': '9999' } };
      }),
    );
    expect(await pay([seller.url])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`payment ${seller.payments()[0]} settled, but the resource answered 502\n`),
    });
  });

  const couldBeSettled =
    /^avm402 doctor .*\nno payment settled, status (\d+); payment (\w+) could still be settled until round (\d+)\n$/m;

  it.each<[string, number, PaidAnswer]>([
    ['was refused with a reason', 402, refused('invalid_exact_avm_insufficient_balance')],
    ['was rejected by the chain, for now', 402, refused('settlement_rejected')],
    ['got an answer that says nothing of it', 400, () => ({ status: 400 })],
  ])(
    'no payment settled, status N, and until when it still could be: the payment %s',
    async (_what, status, answer) => {
      const seller = await stage.sellerThat(paidAnswers(answer));
      const { code, stderr } = await pay([seller.url]);
      const [, validUntil] = /valid until round (\d+)/.exec(stderr) ?? [];
      expect(code).toBe(3);
      expect(couldBeSettled.exec(stderr)?.slice(1)).toEqual([String(status), seller.payments()[0], validUntil]);
    },
  );

  it.each<[string, number, PaidAnswer]>([
    ['whatever the answer', 400, () => ({ status: 400 })],
    [
      'also where the seller still waits for it',
      503,
      (payment) => ({
        status: 503,
        headers: {
          'Retry-After': '9999',
          ...receipt(payment, { success: false, errorReason: 'settlement_pending' }),
        },
      }),
    ],
  ])('no payment settled, status N: the own node has seen the payment expire, %s', async (_what, status, answer) => {
    const seller = await stage.sellerThat(
      paidAnswers(async (payment) => {
        await stage.chain.mine(33);
        return answer(payment);
      }),
    );
    expect(await pay([seller.url])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        new RegExp(`\n${looksForReason(seller.url)}no payment settled, status ${status}\n$`),
      ),
    });
    expect(seller.payments()).toHaveLength(1);
  });

  it('no payment settled: the price is above the limit, and why', async () => {
    const seller = await stage.sellerThat(() => asking([{ amount: '20000' }]));
    const { code, stderr } = await pay([seller.url, '--max', '$0.01']);
    expect(code).toBe(3);
    expect(stderr).toContain('spend_limit_exceeded: $0.02 is above the limit of $0.01 a payment');
    expect(stderr).toContain('no payment settled, status 402');
    expect(seller.payments()).toEqual([]);
  });

  it('payment TXID settled, but the resource answered N', async () => {
    const seller = await stage.sellerThat(async (seen, all) => ({
      ...(await stage.honest(seen, all)),
      ...(seen.payment && { status: 500 }),
    }));
    const { code, stderr } = await pay([seller.url]);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(`payment ${seller.payments()[0]} settled, but the resource answered 500\n`),
    });
  });

  it('outcome of TXID not yet known, status N; do not pay again', async () => {
    const seller = await stage.sellerThat(({ payment }) =>
      payment
        ? {
            status: 503,
            headers: {
              'Retry-After': '9999',
              ...receipt(payment, { success: false, errorReason: 'settlement_pending' }),
            },
          }
        : asking(),
    );
    const { code, stderr } = await pay([seller.url]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining(
        `outcome of ${seller.payments()[0]} not yet known, status 503; do not pay again\n`,
      ),
    });
  });

  it('the same after an interruption', async () => {
    const controller = new AbortController();
    const seller = await stage.sellerThat(({ payment }) => {
      if (!payment) return asking();
      setTimeout(() => controller.abort(new Error('interrupted')), 20);
      return new Promise(() => {});
    });
    const { code, stderr } = await pay([seller.url], { interrupted: controller.signal });
    expect(code).toBe(5);
    expect(stderr).toContain(`outcome of ${seller.payments()[0]} not yet known; do not pay again`);
  });

  it('the same in JSON, beside the error', async () => {
    const seller = await stage.sellerThat(() => asking([{ asset: '5' }]));
    const { code, stdout } = await pay([seller.url, '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'no_acceptable_offer', message: expect.stringContaining('asset 5'), remedy: expect.any(String) },
      message: 'no payment settled, status 402',
    });
  });
});

describe('what is wrong is named', () => {
  it.each<[string, readonly string[], Record<string, string>, number, RegExp]>([
    ['no URL', [], {}, 2, /expected URL/],
    ['no http URL', ['file:///etc/passwd'], {}, 2, /not an http or https URL/],
    ['a password in the URL', ['http://me:hush@127.0.0.1:1/'], {}, 2, /^(?!.*hush)a URL may have no user or password/],
    ['an unknown option', ['http://127.0.0.1', '--maximum', '1'], {}, 2, /^Unknown option '--maximum'$/m],
    ['a mistyped option', ['--per-da', '$1', 'x'], {}, 2, /option '--per-da'; did you mean --per-day\?$/m],
    ['a header without a colon', ['http://127.0.0.1', '-H', 'X'], {}, 2, /not a header/],
    ['a timeout that is none', ['http://127.0.0.1', '--timeout', 'soon'], {}, 2, /--timeout/],
    ['a budget that nothing remembers', ['http://127.0.0.1', '--per-day', '$5'], {}, 2, /--per-day needs --journal/],
    [
      'a limit that is no price',
      ['http://127.0.0.1', '--max', '1e3'],
      {},
      2,
      /--max: "1e3" is not an amount such as \$0.05/,
    ],
    [
      'a budget that is no price',
      ['http://127.0.0.1', '--journal', 'x', '--per-day', 'a lot'],
      {},
      2,
      /--per-day: "a lot"/,
    ],
    ['a receiver that is no address', ['http://127.0.0.1', '--pay-to', 'me'], {}, 2, /--pay-to: /],
    ['two URLs', ['http://127.0.0.1', 'a', 'b'], {}, 2, /expected URL, and not "a" "b" after it/],
    ['a file that is not there', ['http://127.0.0.1', '-d', '@/nowhere'], {}, 2, /nowhere/],
    ['no account', ['http://127.0.0.1'], { AVM_MNEMONIC: '' }, 1, /AVM_MNEMONIC .* or AVM_PRIVATE_KEY/],
    ['two accounts', ['http://127.0.0.1'], { AVM_PRIVATE_KEY: 'x' }, 1, /not both/],
    [
      'a mnemonic with a wrong word',
      ['http://127.0.0.1'],
      { AVM_MNEMONIC: 'abandon '.repeat(25) },
      1,
      /AVM_MNEMONIC: /,
    ],
    [
      'an address instead of a key',
      ['http://127.0.0.1'],
      { AVM_MNEMONIC: '', AVM_PRIVATE_KEY: merchant },
      1,
      /an address, not a secret/,
    ],
    ['a wrong --from', ['http://127.0.0.1', '--from', 'me'], {}, 2, /--from: /],
    ['a server that is not there', ['http://127.0.0.1:9'], {}, 1, /request_failed: .*(ECONNREFUSED|bad port)/],
    ['a node that is not there', [], {}, 3, /algod_unreachable/],
  ])('%s', async (what, args, more, code, message) => {
    const seller = await stage.sellerThat(stage.honest);
    const target = what.startsWith('a node') ? [seller.url] : args;
    const broken = what.startsWith('a node') ? { ALGOD_URL: 'http://127.0.0.1:1' } : {};
    const ran = await pay(target, { environment: environment({ ...more, ...broken }) });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(message);
  });
});

it('an offer on MainNet is never paid through a node of another network', async () => {
  const seller = await stage.sellerThat(() =>
    asking([{ network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', asset: '31566704' }]),
  );
  const { code, stderr } = await pay([seller.url]);
  expect(code).toBe(3);
  expect(stderr).toContain('network_mismatch');
});

it('without a key, on the development node, its public account pays, and is named', async () => {
  const node = await startDevnode({ port: 0 });
  const seller = await stage.sellerThat(() => asking([{ network: algorandNetwork(LOCALNET.genesisHash) }]));
  const { stderr } = await run(['pay', seller.url], {
    environment: { ALGOD_URL: node.url, ALGOD_TOKEN: node.token },
  });
  await node.stop();
  expect(stderr).toContain('paying from the development account "payer"');
  expect(stderr).toContain(`from ${accounts.payer.address}`);
});
