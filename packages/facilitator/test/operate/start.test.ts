import { once } from 'node:events';
import { connect } from 'node:net';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { startDevnode } from '@avm402/devnode';
import { unusedPort } from '@avm402/testkit/unused-port';
import { expect, it } from 'vitest';
import { createFacilitator, createMemorySettlementStore } from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { startFacilitator } from '../../src/operate/start-facilitator.ts';
import { eventually } from '../eventually.ts';
import { withChanges } from '../harness.ts';

/** A node that answers nothing before `open`, and how often it was asked. */
function behindGate(algod: AlgodClient) {
  let asked = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const gated = new Proxy(algod, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        asked++;
        await opened;
        return Reflect.apply(member, target, parameters);
      };
    },
  });
  return { gated, open: () => open(), asked: () => asked };
}

it('opens its port when nodes are connected and unfinished settlements taken up, not before', async () => {
  const node = await startDevnode({ port: 0 });
  const { gated, open, asked } = behindGate(createAlgodClient(node));
  const port = await unusedPort();
  const starting = startFacilitator({
    host: '127.0.0.1',
    port,
    logLevel: 'silent',
    algods: [gated],
    store: { kind: 'sqlite', path: ':memory:', sync: 'normal' },
    settleTimeoutMs: 1000,
    retentionDays: 1,
    drainTimeoutMs: 1000,
  });
  await eventually(() => asked() > 0);
  await expect(fetch(`http://127.0.0.1:${port}/supported`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  open();
  const facilitator = await starting;
  expect((await fetch(`${facilitator.url}/supported`)).status).toBe(200);
  await facilitator.stop();
  await node.stop();
});

it('stops even if somebody is connected who never sends a whole request', async () => {
  const node = await startDevnode({ port: 0 });
  const facilitator = await startFacilitator({
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    algods: [createAlgodClient(node)],
    store: { kind: 'sqlite', path: ':memory:', sync: 'normal' },
    settleTimeoutMs: 1000,
    retentionDays: 1,
    drainTimeoutMs: 100,
  });
  const port = Number(new URL(facilitator.url).port);
  const silent = connect(port, '127.0.0.1');
  const halfSent = connect(port, '127.0.0.1').on('error', () => {});
  halfSent.write('POST /settle HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
  await Promise.all([once(silent, 'connect'), once(halfSent, 'connect')]);
  // Connections are taken in the order in which they come.
  await fetch(`${facilitator.url}/supported`);
  const closed = Promise.all([once(silent, 'close'), once(halfSent, 'close')]);
  await facilitator.stop();
  await closed;
  await node.stop();
});

it.each([
  ['127.0.0.1', false],
  ['localhost', false],
  ['0.0.0.0', true],
])('that listens on %s says that everybody reaches it: %s', async (host, isOpen) => {
  const node = await startDevnode({ port: 0 });
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (facts: object) => void warnings.push(facts) };
  const store = { kind: 'sqlite', path: ':memory:', sync: 'normal' } as const;
  const times = { settleTimeoutMs: 1000, retentionDays: 1, drainTimeoutMs: 100 };
  const algods = [createAlgodClient(node)];
  const facilitator = await startFacilitator({ host, port: 0, logLevel: 'silent', algods, store, ...times }, log);
  expect(warnings).toEqual(isOpen ? [{ host }] : []);
  await facilitator.stop();
  await node.stop();
});

it('opens its store once, however often it has to try to reach its node', async () => {
  const memory = createMemorySettlementStore();
  let opened = 0;
  const store = withChanges(memory, { open: async () => void (opened += 1) });
  const nowhere = createAlgodClient({ url: 'http://127.0.0.1:1' });
  const facilitator = createFacilitator({ networks: [{ algods: [nowhere] }], store });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(facilitator.start()).rejects.toMatchObject({ code: 'algod_unreachable' });
  }
  expect(opened).toBe(1);
  await facilitator.close();
});

it('does not sponsor other assets than USDC before their least amount is named', async () => {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  const account = parseAccount(node.accounts.facilitator.privateKey);
  const networks = [{ algods: [createAlgodClient(node)] }];
  const sponsorship = { account, payTo: [node.accounts.merchant.address], assets: ['10458941', '1001'] };
  const unnamed = createFacilitator({ networks, sponsorship });
  await expect(unnamed.start()).rejects.toMatchObject({
    code: 'environment_invalid',
    message: expect.stringMatching(/SPONSOR_MIN_AMOUNT/),
  });
  await unnamed.close();
  const named = createFacilitator({ networks, sponsorship: { ...sponsorship, minAmount: 5n } });
  await named.start();
  await named.close();
  await node.stop();
});

it('refuses two entries of one network, whose nodes would stand in for each other unseen', async () => {
  const node = await startDevnode({ port: 0 });
  const algods = [createAlgodClient(node)];
  const facilitator = createFacilitator({ networks: [{ algods }, { algods }] });
  await expect(facilitator.start()).rejects.toMatchObject({
    code: 'environment_invalid',
    message: expect.stringMatching(/two entries of networks are of algorand:\S+; list all its algods in one entry/),
  });
  await facilitator.close();
  await node.stop();
});
