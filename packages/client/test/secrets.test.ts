import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { reportOf } from '@avm402/client';
import { openFileJournal } from '@avm402/client/file-journal';
import { PaymentProof } from '../src/payment/paid-request.ts';
import { accounts } from './chain.ts';
import { asking } from './seller.ts';
import { useStage } from './stage.ts';

const stage = useStage();

it('neither journal, report nor error holds a key, a proof or a payment id', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-secrets-'));
  const file = join(folder, 'journal');
  const journal = await openFileJournal(file);
  const honest = await stage.sellerThat(stage.honest);
  const broken = await stage.sellerThat(({ payment }) => (payment ? { cut: 'before' } : asking()));
  const fetchPaid = stage.paying({ journal, recoverMs: 300 });
  const response = await fetchPaid(`${honest.url}/?token=in-the-query`);
  const error: unknown = await fetchPaid(broken.url).catch((reason: unknown) => reason);
  await journal.close();

  const written = await readFile(file, 'utf8');
  const told = [written, inspect(reportOf(response), { depth: 9 }), inspect(error, { depth: 9 })].join('\n');
  const payments = [...honest.seen, ...broken.seen].flatMap(({ payment }) => payment ?? []);
  expect(payments.length).toBeGreaterThan(1);
  const secrets = payments.flatMap(({ header, paymentId }) => [header, header.slice(0, 60), paymentId ?? '-']);
  const planted = [accounts.payer.privateKey, accounts.payer.mnemonic, ...secrets];
  expect(planted.filter((secret) => told.includes(secret))).toEqual([]);
  expect(written).toContain(payments[0]?.txId);
  // A query may hold a key of the caller's.
  expect(written).not.toContain('in-the-query');
  await rm(folder, { recursive: true });
});

it.each([
  ['that leads on for ever', '/?token=in-the-query'],
  ['that is not followed', 'ftp://elsewhere.example/?token=in-the-query'],
])('an error about a redirect %s shows no query', async (_what, Location) => {
  const seller = await stage.sellerThat(({ payment }) => (payment ? { status: 307, headers: { Location } } : asking()));
  const error: unknown = await stage
    .paying()(`${seller.url}/?token=in-the-query`)
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'unsafe_redirect',
    message: expect.stringContaining(`${seller.url}/ redirects`),
  });
  expect(inspect(error, { depth: 9 })).not.toContain('in-the-query');
});

it('a payment in flight shows neither its proof nor the query of its URL', () => {
  const paid = { proof: new PaymentProof('the proof', new URL('http://x.example/?the-query')) };
  const shown = inspect(paid, { depth: 9, showHidden: true }) + JSON.stringify(paid);
  expect(shown).not.toContain('the proof');
  expect(shown).not.toContain('the-query');
});
