import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LimitsJob } from '../harness/limits-job.ts';
import { driveLoad } from '../harness/load.ts';
import { createHttpClient } from '../harness/http-client.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { required } from '../harness/wiring.ts';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, 1)]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = createPublicKey(privateKey);
const message = Buffer.alloc(220, 7);
const signature = sign(null, message, privateKey);

/** As the settlement store writes: a row of about 1 KB, write-ahead log, no wait for the disk. */
const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), 'avm402-bench-')), 'limit.sqlite'));
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE row (id INTEGER PRIMARY KEY, bytes BLOB)',
);
const insert = database.prepare('INSERT INTO row (bytes) VALUES (?)');
const row = Buffer.alloc(1000, 7);

const url = required('ECHO_URL');
const client = createHttpClient();
const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(1800) }));

const tasks: Readonly<Record<LimitsJob['task'], () => unknown>> = {
  sign: () => sign(null, message, privateKey),
  verify: () => verify(null, message, publicKey, signature),
  commit: () => insert.run(row),
  request: () => client.post(url, body, { 'Content-Type': 'application/json' }),
};

serveJobs(({ task, operations }: LimitsJob) =>
  driveLoad({ workers: task === 'request' ? 10 : 1, operations, operate: async () => tasks[task]() }),
);
