import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { driveLoad } from '../harness/load.ts';
import { expectPaid, type PaymentWork } from '../harness/payment-job.ts';
import { serveJobs } from '../harness/serve-jobs.ts';
import { stockScheme } from './stock-scheme.ts';

const work: PaymentWork = ({ url, privateKeys, operations }) => {
  const fetches = privateKeys.map((key) =>
    wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', stockScheme(key))),
  );
  return driveLoad({
    workers: fetches.length,
    operations,
    operate: async ({ worker }) => expectPaid(await (fetches[worker] ?? fetch)(url)),
  });
};

serveJobs(work);
