import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { driveLoad } from '../harness/load.ts';
import { expectPaid, type PaymentWork } from '../harness/payment-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { required } from '../harness/wiring.ts';

const algod = { url: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };

const preempt = required('PREEMPT') === 'true';

const work: PaymentWork = ({ url, privateKeys, operations }) => {
  const fetches = privateKeys.map((key) =>
    createPayingFetch({ account: parseAccount(key), networks: { 'algorand:*': algod }, preempt }),
  );
  return driveLoad({
    workers: fetches.length,
    operations,
    operate: async ({ worker }) => expectPaid(await (fetches[worker] ?? fetch)(url)),
  });
};

serveJobs(work);
